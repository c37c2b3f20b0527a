// Groups whose members' roles still have to follow a change: of the group's name, or of what the tenant gives for it. The
// note is stored no later than the change and taken away when everybody was looked at, so the sweeper finishes what broke off.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Overtaken } from '../../base/table/again.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, type Stored, type Write } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { groupPartition } from './stored-group.ts'

/** By then the request that left the note has ended, one way or another. */
const WAIT_MS = 60_000

const Unsettled = z.object({
  tenant_id: z.string(),
  mode: z.enum(['live', 'test']),
  group_id: z.string(),
  due_at: z.string(),
})
export type Unsettled = Stored<z.output<typeof Unsettled>>

export const unsettled = entity({
  name: 'SCIMUNSETTLED',
  schema: Unsettled,
  key: (of: Space & { group_id: string }) => ({ pk: groupPartition(of, of.group_id), sk: 'UNSETTLED' }),
  index: ({ due_at, group_id }) => dueAt(due_at, group_id),
})

export const noteOf = ({ table, space }: Context, group_id: string): Promise<Unsettled | undefined> =>
  table.get(unsettled, { ...space, group_id })

/** `was`: the note that is there already. */
export function leaveNote(ctx: Context, group_id: string, was: Unsettled | undefined): Write {
  const note = { ...ctx.space, group_id, due_at: iso(ctx.now() + WAIT_MS) }
  return was ? unsettled.replace(note, was, new Overtaken()) : unsettled.insert(note, new Overtaken())
}

/** A note that was left anew meanwhile stays for whoever left it. */
export async function removeNote({ table }: Context, note: Unsettled): Promise<void> {
  const isSame = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': note._v } }
  try {
    await table.commit([unsettled.remove(note, isSame)])
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
}
