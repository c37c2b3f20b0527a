// A freeze with its history. The freezes in force are also in the pointer of the policies, which every request reads.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { entity, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import type { Table } from '../../base/table/table.ts'
import { FreezeScope } from '../governance/freeze.ts'

export const FREEZE_STATUSES = ['active', 'lifted'] as const

const Actor = z.object({
  type: z.string().describe('The kind of caller.'),
  id: z.string().describe('The id, which never changes.'),
})

export const Freeze = z.object({
  ...resourceMembers,
  status: z.enum(FREEZE_STATUSES).describe('The current state.'),
  scope: FreezeScope,
  reason: z.string().describe('The reason, for people.'),
  set_by: Actor.describe('Who set it.'),
  set_at: z.string().describe('When it was set. It is in force from then on.'),
  lifted_by: Actor.optional().describe('Who lifted it.'),
  lifted_at: z.string().optional().describe('When it was lifted.'),
  lift_reason: z.string().optional().describe('Why it was lifted.'),
  lift_artifact_id: z.string().optional().describe('The artifact of the lifting.'),
})
export type Freeze = z.output<typeof Freeze>

export const freezesPartition = (space: Space): string => spaceKey(space, 'FREEZE')

export const freezes = entity({
  name: 'FREEZE',
  unbound: 'proven by artifacts',
  schema: Freeze,
  key: (of: Space & { id: string }) => ({ pk: freezesPartition(of), sk: of.id }),
})

const FREEZE_ID = idPattern('frz')

/** Throws 404 for a freeze that is not in this tenant and mode. */
export async function findFreeze(table: Table, space: Space, id: string): Promise<Stored<Freeze>> {
  const freeze = FREEZE_ID.test(id) ? await table.get(freezes, { ...space, id }) : undefined
  if (!freeze) throw notFound('freeze')
  return freeze
}
