// What a tenant sets about a connector of the catalogue.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { Inbound } from './connector.ts'

export const Settings = z.object({
  ...spaceMembers,
  connector_id: z.string(),
  client_id: z.string().optional(),
  /** The tenant's own client, sealed. It wins over the operator's. */
  client: z.string().optional(),
  scopes_required: z.array(z.string()).optional(),
  purpose: z.string().optional(),
  data_categories: z.array(z.string()).optional(),
  inbound: z.array(Inbound).optional(),
  inbound_sealed: z.string().optional(),
})
export type Settings = z.output<typeof Settings>

export const settingsPartition = (space: Space): string => spaceKey(space, 'CONNECTOR_SETTINGS')

export const connectorSettings = entity({
  name: 'CONNECTOR_SETTINGS',
  unbound: 'proven by itself',
  schema: Settings,
  key: (of: Space & { connector_id: string }) => ({ pk: settingsPartition(of), sk: of.connector_id }),
})
