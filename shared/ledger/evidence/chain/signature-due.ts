// A chain with something to sign stands in the index of due work, for the case that its queue message is lost. A signature that
// comes in time moves nothing: the sweeper looks once, after the last artifact.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { memory } from '../../../base/lib/memory.ts'
import { dueAt } from '../../../base/table/due.ts'
import { entity } from '../../../base/table/entity.ts'
import { spaceMembers } from '../../../base/table/members.ts'
import { unlessOvertaken } from '../../../base/kernel/retry.ts'
import { chainName } from '../artifact/hashes.ts'
import { chainKey } from './chain.ts'

/** So long after it was due, a signature is late. */
const LATE_MS = 120_000
/** Clocks of two containers differ by less. */
const SKEW_MS = 30_000

export const signaturesDue = entity({
  name: 'SIGN',
  unbound: 'bounded',
  schema: z.object({ ...spaceMembers, due_at: z.string() }),
  key: (space: Space) => ({ pk: chainKey(space), sk: 'SIGN' }),
  index: ({ due_at, tenant_id, mode }) => dueAt(due_at, `${tenant_id}.${mode}`),
})

/** Until when (ms) each chain is known to stand in the index. */
const knownUntil = memory<number>()

/** Makes the sweeper look at the chain when no signature came in time. `wait` (ms): until the signature is due. */
export async function expectSignature(ctx: Context, wait: number): Promise<void> {
  const { table, space } = ctx
  const now = ctx.now()
  const chain = chainName(space)
  const soon = now + SKEW_MS
  if ((knownUntil.get(chain) ?? 0) > soon) return
  const was = await table.get(signaturesDue, space)
  const known = was ? Date.parse(was.due_at) : 0
  const due = known > soon ? known : now + wait + LATE_MS
  if (due !== known) {
    const next = { ...space, due_at: iso(due) }
    // Another container may move it at the same time, to about the same time.
    await unlessOvertaken(table.commit([was ? signaturesDue.replace(next, was) : signaturesDue.insert(next)]))
  }
  knownUntil.set(chain, due)
}
