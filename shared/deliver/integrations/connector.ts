// A tenant's own API: where it is, how it wants to be called, and what its document offers.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { entity, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import { type Connection, connections } from './connection.ts'

export const AUTH_TYPES = ['none', 'bearer', 'basic', 'api_key'] as const

/** `header`: which one carries an API key. */
export const Auth = z.object({ type: z.enum(AUTH_TYPES), header: z.string().optional() })
export type Auth = z.output<typeof Auth>

export const Connector = z.object({
  ...resourceMembers,
  name: z.string(),
  category: z.string(),
  description: z.string().optional(),
  base_url: z.string(),
  auth: Auth,
  /** Its text stands in the bucket of files. */
  openapi: z.object({ sha256: z.string(), bytes: z.int() }),
  actions_count: z.int(),
  purpose: z.string().optional(),
  data_categories: z.array(z.string()),
  created_at: z.string(),
  created_by: z.object({ type: z.string(), id: z.string() }),
})
export type Connector = z.output<typeof Connector>

export const connectorsPartition = (space: Space): string => spaceKey(space, 'CONNECTOR')

export const connectors = entity({
  name: 'CONNECTOR',
  schema: Connector,
  key: (of: Space & { id: string }) => ({ pk: connectorsPartition(of), sk: of.id }),
})

/** Throws 404. */
export async function findConnector({ table, space }: Context, id: string): Promise<Stored<Connector>> {
  const found = await table.get(connectors, { ...space, id })
  if (!found) throw notFound('connector')
  return found
}

export const ConnectorView = z.object({
  ...Connector.omit({ tenant_id: true, mode: true }).shape,
  own: z.boolean(),
  status: z.enum(['available', 'active', 'needs_reauth']),
  connection: z.object({ id: z.string(), connected_at: z.string() }).nullable(),
})

export const connectorView = (connector: Connector, connection: Connection | undefined) => ({
  ...connector,
  own: true,
  status: connection?.status ?? ('available' as const),
  connection: connection ? { id: connection.id, connected_at: connection.connected_at } : null,
})

/** The connector as people see it. */
export async function readConnector(ctx: Context, id: string) {
  const connection = ctx.table.get(connections, { ...ctx.space, connector_id: id })
  return connectorView(await findConnector(ctx, id), await connection)
}
