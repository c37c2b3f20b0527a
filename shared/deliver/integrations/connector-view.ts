// A connector as people see it.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { type NodeHead, nodeHeads, nodesPartition } from '../../govern/manifests/node.ts'
import {
  Account,
  type Connection,
  CONNECTOR_STATUSES,
  connections,
  connectionsPartition,
  statusOf,
} from './connection.ts'
import { Connector } from './connector.ts'
import { allConnectors, findConnector, type KnownConnector } from './known-connector.ts'
import { nodeIdOf } from './openapi/names.ts'

const { name, category, description, base_url, auth, openapi, actions_count, inbound, purpose, data_categories } =
  Connector.shape

export const ConnectorView = z.object({
  id: z.string(),
  name,
  category,
  description,
  base_url,
  auth,
  openapi,
  actions_count,
  purpose,
  data_categories,
  inbound,
  own: z.boolean(),
  /** What auth/start wants to know of the account. */
  params: z.array(z.object({ name: z.string(), pattern: z.string(), description: z.string() })),
  /** What can be synchronised. */
  models: z.array(z.string()),
  scopes_required: z.array(z.string()),
  scopes_optional: z.array(z.string()),
  status: z.enum(CONNECTOR_STATUSES),
  connection: z
    .object({
      id: z.string(),
      connected_at: z.string(),
      connected_by: z.object({ type: z.string(), id: z.string() }),
      account: Account.optional(),
      scopes_granted: z.array(z.string()),
    })
    .nullable(),
  published: z.array(z.object({ node_id: z.string(), version: z.string() })),
})
export type ConnectorView = z.input<typeof ConnectorView>

type Around = { connection: Connection | undefined; heads: readonly NodeHead[]; now: number }

export function connectorView(connector: KnownConnector, { connection, heads, now }: Around): ConnectorView {
  const { provider, own, scopes_required, data_categories: categories, ...rest } = connector
  const status = statusOf(connection, now)
  return {
    ...rest,
    own: own !== undefined,
    data_categories: [...categories],
    params: (provider?.params ?? []).map((param) => ({ ...param, pattern: param.pattern.source })),
    models: (provider?.models ?? []).map((model) => model.name),
    scopes_required: [...scopes_required],
    scopes_optional: [...(provider?.scopes_optional ?? [])],
    status,
    connection: (status === 'active' || status === 'needs_reauth') && connection ? shown(connection) : null,
    published: heads.map(({ node_id, latest: version }) => ({ node_id, version })),
  }
}

const shown = ({ id, connected_at = '', connected_by, account, scopes_granted }: Connection) => ({
  id,
  connected_at,
  connected_by: connected_by ?? { type: 'system', id: 'system' },
  ...(account && { account }),
  scopes_granted,
})

/** Nodes of a connector: `integration.<id>.<group>`. */
const prefixOf = (id: string): string => nodeIdOf(id, '')

export async function readConnector(ctx: Context, id: string): Promise<ConnectorView> {
  const { table, space } = ctx
  const [connector, connection, heads] = await Promise.all([
    findConnector(ctx, id),
    table.get(connections, { ...space, connector_id: id }),
    table.query(nodeHeads, { pk: nodesPartition(space), prefix: prefixOf(id) }),
  ])
  return connectorView(connector, { connection, heads, now: ctx.now() })
}

export type ConnectorFilter = { status?: string | undefined; category?: string | undefined; q?: string | undefined }

/** By their ids. `q`: in the id, the name or the description. */
export async function listConnectors(ctx: Context, { status, category: of, q }: ConnectorFilter) {
  const { table, space } = ctx
  const [all, connected, nodes] = await Promise.all([
    allConnectors(ctx),
    table.query(connections, { pk: connectionsPartition(space) }),
    table.query(nodeHeads, { pk: nodesPartition(space), prefix: prefixOf('').replace(/\.$/, '') }),
  ])
  const byConnector = new Map(connected.map((one) => [one.connector_id, one]))
  const needle = q?.toLowerCase()
  return all
    .map((connector) =>
      connectorView(connector, {
        connection: byConnector.get(connector.id),
        heads: nodes.filter(({ node_id }) => node_id.startsWith(prefixOf(connector.id))),
        now: ctx.now(),
      }),
    )
    .filter((view) => (status === undefined || view.status === status) && (of === undefined || view.category === of))
    .filter(
      (view) =>
        needle === undefined ||
        [view.id, view.name, view.description ?? ''].some((text) => text.toLowerCase().includes(needle)),
    )
}
