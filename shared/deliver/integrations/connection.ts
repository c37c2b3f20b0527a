// The connection of a tenant to a connector: whether it may be called, and with which credential.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'

export const Actor = z.object({ type: z.string(), id: z.string() })
export type Actor = z.output<typeof Actor>

export const Account = z.object({
  id: z.string().describe('The id, which never changes.'),
  name: z.string().optional().describe('A name for people.'),
})
export type Account = z.output<typeof Account>

export const Connection = z.object({
  ...resourceMembers,
  connector_id: z.string(),
  status: z.enum(['active', 'needs_reauth', 'error', 'disconnected']),
  /** People were sent to the provider, and may come back until then (ms). */
  authorizing_until: z.int().optional(),
  /** The credential, sealed with the address that it is for: a rewritten row cannot send it elsewhere. See credential.ts. */
  sealed: z.string().optional(),
  /** When the access token ends (ms), if the provider's answer said so. */
  expires_at: z.int().optional(),
  /** The lease of the process that asks for new tokens (ms). */
  refreshing_until: z.int().optional(),
  scopes_granted: z.array(z.string()).default([]),
  account: Account.optional(),
  /** The connection at Nango that holds the tokens. */
  nango_id: z.string().optional(),
  /** The code of the provider's refusal, in `error`. */
  error_code: z.string().optional(),
  /** Asks people to connect again. */
  task_id: z.string().optional(),
  /** Time of the latest completion; none before the first. */
  connected_at: z.string().optional(),
  connected_by: Actor.optional(),
})
export type Connection = z.output<typeof Connection>

export const CONNECTOR_STATUSES = [
  'available',
  'authorizing',
  'active',
  'needs_reauth',
  'error',
  'disconnected',
] as const
export type ConnectorStatus = (typeof CONNECTOR_STATUSES)[number]

/** The state of a connection that people see at an instant (ms). An authorisation that nobody completes ends by itself. */
export function statusOf(connection: Connection | undefined, now: number): ConnectorStatus {
  if (!connection) return 'available'
  const { status, authorizing_until = 0, connected_at } = connection
  if (status === 'active' || status === 'needs_reauth') return status
  if (authorizing_until > now) return 'authorizing'
  return status === 'disconnected' && connected_at === undefined ? 'available' : status
}

export const connectionsPartition = (space: Space): string => spaceKey(space, 'CONN')

export const connections = entity({
  name: 'CONNECTION',
  unbound: 'proven by itself',
  schema: Connection,
  key: (of: Space & { connector_id: string }) => ({ pk: connectionsPartition(of), sk: of.connector_id }),
})
