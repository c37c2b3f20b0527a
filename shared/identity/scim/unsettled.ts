// Notes about groups whose members still need new roles, after a change of the group's name or of the tenant's setting. A note
// is stored with the change or before it, and removed when all members are done. So the sweeper finishes interrupted work.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Overtaken, unlessOvertaken } from '../../base/kernel/retry.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, type Stored, type Write } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { groupPartition } from './stored-group.ts'

/** Longer than a request can run, so the sweeper never works on a group at the same time as the request. */
const WAIT_MS = 60_000

const Unsettled = z.object({
  ...spaceMembers,
  group_id: z.string(),
  due_at: z.string(),
})
export type Unsettled = Stored<z.output<typeof Unsettled>>

export const unsettled = entity({
  name: 'SCIMUNSETTLED',
  unbound: 'bounded',
  schema: Unsettled,
  key: (of: Space & { group_id: string }) => ({ pk: groupPartition(of, of.group_id), sk: 'UNSETTLED' }),
  index: ({ due_at, group_id }) => dueAt(due_at, group_id),
})

export const noteOf = ({ table, space }: Context, group_id: string): Promise<Unsettled | undefined> =>
  table.get(unsettled, { ...space, group_id })

/** `was`: the existing note, if any. */
export function leaveNote(ctx: Context, group_id: string, was: Unsettled | undefined): Write {
  const note = { ...ctx.space, group_id, due_at: iso(ctx.now() + WAIT_MS) }
  return was ? unsettled.replace(note, was, new Overtaken()) : unsettled.insert(note, new Overtaken())
}

/** Keeps a note that was stored again meanwhile, because it stands for a later change. */
export async function removeNote({ table }: Context, note: Unsettled): Promise<void> {
  const isSame = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': note._v } }
  await unlessOvertaken(table.commit([unsettled.remove(note, isSame)]))
}
