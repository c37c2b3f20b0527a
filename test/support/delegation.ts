// A delegation as somebody would have made it, without the evidence that gives anybody a vote.
import type { Context } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import type { Delegation } from '../../shared/govern/delegations/delegation.ts'

export function newDelegationOf(ctx: Context, change: Partial<Delegation> = {}): Delegation {
  const now = ctx.now()
  return {
    ...ctx.space,
    id: ctx.id('dlg'),
    from_user_id: 'usr_1',
    to_user_id: 'usr_2',
    from_at: iso(now),
    until: iso(now + 3_600_000),
    created_at: iso(now),
    artifact_id: ctx.id('art'),
    ...change,
  }
}
