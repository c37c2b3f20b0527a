import { higherPlan, type Plan } from '../../base/limits/plans.ts'
import type { Subscription } from './subscription.ts'

type Counted = Pick<Subscription, 'plan_id' | 'status' | 'grace_until'>

/** What a subscription pays for at an instant (ms): nothing before its first payment, and after its grace. */
export function paidPlan({ plan_id, status, grace_until }: Counted, now: number): Plan {
  if (status === 'active' || status === 'trialing') return plan_id
  return status === 'past_due' && grace_until !== undefined && Date.parse(grace_until) > now ? plan_id : 'free'
}

/** The highest of what was granted and what is paid for. */
export const effectivePlan = (granted: Plan, all: readonly Counted[], now: number): Plan =>
  all.map((one) => paidPlan(one, now)).reduce(higherPlan, granted)
