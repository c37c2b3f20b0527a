import type { Context } from '../../base/context.ts'
import { openExecution } from '../executions/open-execution.ts'
import { visibleNow } from '../executions/visible.ts'
import { notFound } from '../../base/lib/failure.ts'
import { loadVersion } from '../manifests/load.ts'
import { approvals } from './approval.ts'
import { approvalWithEvidence } from './with-evidence.ts'

/** An approval with the description and the exact payload of the held action. */
export async function approvalDetailView(ctx: Context, id: string) {
  const approval = await ctx.table.get(approvals, { ...ctx.space, id })
  if (!approval) throw notFound('approval')
  const [{ execution, opened, salt }, manifest] = await Promise.all([
    visibleNow(ctx, openExecution(ctx, approval.request_id)),
    loadVersion(ctx.table, ctx.space, approval.node_id, approval.version),
  ])
  return {
    ...(await approvalWithEvidence(ctx, approval, execution)),
    action_description: manifest?.endpoints.get(approval.action_id)?.description,
    payload: opened.payload,
    // With a redacted payload, the salt would only help to guess the redacted values.
    payload_salt: salt && !opened.redacted ? Buffer.from(salt).toString('hex') : null,
  }
}
