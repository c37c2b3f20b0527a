// What people see of equal requests when they decide: what became of each, and when. It is computed when shown, and bound by no digest.
import type { Context } from '../../base/context.ts'
import { executions } from '../executions/execution.ts'
import type { Approval } from './approval.ts'
import type { RepeatView } from './approval-view.ts'
import { equalTo } from './repeats.ts'
import { withEvidenceOf } from './with-evidence.ts'

const SHOWN_MAX = 10

/** The newest first. What the evidence contradicts is shown without decider and reason. */
export async function repeatsOf(ctx: Context, { id, request_id, repeat_key }: Approval): Promise<RepeatView[]> {
  if (repeat_key === undefined) return []
  const equals = (await equalTo(ctx, repeat_key)).filter((one) => one.id !== id && one.request_id !== request_id)
  const first = equals.slice(0, SHOWN_MAX)
  if (first.length === 0) return []
  const found = await ctx.table.getAll(
    executions,
    first.map((one) => ({ ...ctx.space, id: one.request_id })),
  )
  const statusOf = new Map(found.map((one) => [one.id, one.status]))
  const shown = await withEvidenceOf(ctx, first, found)
  return shown.flatMap(({ id: approval_id, consumed_at, requested_at, requested_by, agent_id, ...one }) => {
    const status = statusOf.get(one.request_id)
    if (!status) return []
    const { decided_by, decided_at, reason } = one
    const at = consumed_at ?? decided_at ?? requested_at
    return { approval_id, request_id: one.request_id, status, at, requested_by, agent_id, decided_by, reason }
  })
}
