// How an action stands to the limits that it comes under.
import type { Context } from '../../base/context.ts'
import type { CompiledSet } from '../governance/conditions/compile.ts'
import type { Counting } from '../limits/counting.ts'
import { type Plan, plansFor } from '../limits/counters.ts'
import { partiesOf } from '../limits/parties.ts'
import { type Reserved, weigh } from '../limits/weigh.ts'
import { factsFor, type Question } from './evaluate-action.ts'

/** What an action would be counted by; none where no policy has a limit. */
export async function plansOf(ctx: Context, question: Question): Promise<Plan[]> {
  const { set } = question.governance
  if (set.limited.length === 0) return []
  const { requester, agent_id, agent_bound, classification } = question
  const { recipientHosts } = classification.inspection
  const parties = await partiesOf({ ...requester, agent_id, agent_bound }, recipientHosts, countsByDomain(set))
  return plansFor(set, await factsFor(ctx, question), parties)
}

const countsByDomain = ({ limited }: CompiledSet) =>
  limited.some(({ policy }) => policy.limit?.per.includes('recipient_domain'))

/** Undefined where there is nothing to count. `fresh`: by what stands in the table now. */
export async function countingOf(
  ctx: Context,
  question: Question,
  reserved: Reserved,
  fresh = false,
): Promise<Counting | undefined> {
  if (question.undo?.marks) return uncounted(question.governance.set)
  const plans = await plansOf(ctx, question)
  return plans.length === 0 ? undefined : { ...(await weigh(ctx, plans, reserved, fresh)), reserved }
}

/** Of what does not run, or was counted when it began: no limit speaks against it. */
export const uncounted = ({ limited }: CompiledSet): Counting => ({
  over: new Map(limited.map(({ policy }) => [policy.policy_id, false])),
  weighed: [],
  reserved: new Map(),
})
