import type { Context } from '../../base/context.ts'
import type { Execution } from '../executions/execution.ts'
import type { Performance } from '../executions/run-target.ts'
import { type Approval, approvals } from './approval.ts'

/** Who decided, as events name them: a user id or `key:<id>`. */
export const deciderOf = ({ decided_by }: Approval): string =>
  decided_by?.type === 'user' ? decided_by.id : `key:${decided_by?.id ?? ''}`

/** The approval in the body of the call of a target. */
export const approvalForTarget = (approval: Approval): NonNullable<Performance['approval']> => ({
  id: approval.id,
  approved_by: deciderOf(approval),
  approved_at: approval.decided_at ?? '',
  action_digest: approval.action_digest,
})

/** The same for an execution that was claimed earlier; undefined when it needed no approval. */
export async function approvalOf({ table, space }: Context, { held }: Execution): Promise<Performance['approval']> {
  const approval = held && (await table.get(approvals, { ...space, id: held.id }))
  return approval && approvalForTarget(approval)
}
