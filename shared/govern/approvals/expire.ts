import type { Context } from '../../base/context.ts'
import type { Execution } from '../executions/execution.ts'
import { iso } from '../../base/lib/clock.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Approval } from './approval.ts'
import { endHeld } from './reject-held.ts'
import { APPROVAL_STATES } from './states.ts'

/** Ends an approval after its time, so that nothing is approved by silence. */
export async function expireApproval(ctx: Context, held: Stored<Approval>, execution: Stored<Execution>) {
  mustAllowMove(APPROVAL_STATES, held.status, 'expired')
  const expired: Approval = { ...held, status: 'expired', method: 'expired', decided_at: iso(ctx.now()) }
  return endHeld(ctx, held, expired, execution, {
    status: 'expired',
    artifact: 'approval.expired',
    by: 'system',
    method: 'expired',
    reason: 'nobody decided in time',
  })
}
