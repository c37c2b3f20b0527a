// What a freeze stops is neither decided nor lost: it goes on when the freeze is lifted, or ends when its time is over.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, type Failure } from '../../base/lib/failure.ts'
import { executions } from '../executions/execution.ts'
import { isFreeze } from '../governance/freeze.ts'
import type { Approval } from './approval.ts'
import type { Binding, Breach } from './binding.ts'
import { endHeld } from './reject-held.ts'

const AGAIN_MS = 300_000

export const isFrozen = (breach: Breach): boolean => 'refusal' in breach && isFreeze(breach.refusal)

/** For the vote that would let the action run. Nothing of it is stored. */
export const voteWhileFrozen = ({ reason }: Breach): Failure =>
  conflict(
    `Your vote was not taken: ${reason}. Vote again when an administrator has lifted the freeze, or reject the action.`,
    { code: 'frozen' },
  )

/** An approved action is tried again every five minutes until its approval expires, and then cancelled. */
export async function waitWhileFrozen(ctx: Context, { held, execution }: Binding): Promise<void> {
  const now = ctx.now()
  if (iso(now) < held.expires_at) {
    const again = iso(now + AGAIN_MS)
    const lease_until = again < held.expires_at ? again : held.expires_at
    return ctx.table.commit([executions.replace({ ...execution, lease_until }, execution)])
  }
  const cancelled: Approval = { ...held, status: 'cancelled', method: 'expired', decided_at: iso(now) }
  await endHeld(ctx, held, cancelled, execution, {
    status: 'cancelled',
    artifact: 'approval.cancelled',
    by: 'system',
    method: 'expired',
    reason: 'the action was frozen until its approval expired',
  })
}
