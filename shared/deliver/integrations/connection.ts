// The connection of a tenant to a connector: whether it may be called, and with which credential.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'

export const Connection = z.object({
  ...resourceMembers,
  connector_id: z.string(),
  status: z.enum(['active', 'needs_reauth']),
  /** The credential with the address that it is for: whoever rewrites a row does not send it elsewhere. */
  sealed: z.string(),
  connected_at: z.string(),
  connected_by: z.object({ type: z.string(), id: z.string() }),
})
export type Connection = z.output<typeof Connection>

export const connectionsPartition = (space: Space): string => spaceKey(space, 'CONN')

export const connections = entity({
  name: 'CONNECTION',
  schema: Connection,
  key: (of: Space & { connector_id: string }) => ({ pk: connectionsPartition(of), sk: of.connector_id }),
})
