// Decides on past executions again under two sets of policies, in the order of their requests, so that each set counts what
// would have run under it.
import type { Context } from '../../base/context.ts'
import { classifyAction } from '../executions/classify-action.ts'
import { plansOf } from '../executions/counting-of.ts'
import { evaluateAction, type Question } from '../executions/evaluate-action.ts'
import type { Execution } from '../executions/execution.ts'
import type { Governance } from '../governance/active.ts'
import { windowSeconds } from '../governance/limit.ts'
import { PastCounters } from '../limits/past.ts'

export type Past = { execution: Execution; question: Omit<Question, 'governance' | 'classification'> & { at: number } }
type Change = { request_id: string; change: string }

/** Those whose decision differs, newest first. What no longer can be decided is left out. */
export async function changesIn(
  ctx: Context,
  past: readonly (Past | undefined)[],
  before: Governance,
  after: Governance,
): Promise<Change[]> {
  const [one, other] = [new PastCounters(), new PastCounters()]
  const known = past.filter((each) => each !== undefined).toSorted((a, b) => (a.execution.id < b.execution.id ? -1 : 1))
  const changes: Change[] = []
  for (const each of known) {
    const from = await outcomeOf(ctx, each, before, one)
    const to = await outcomeOf(ctx, each, after, other)
    if (from !== to) changes.push({ request_id: each.execution.id, change: `${from}->${to}` })
  }
  return changes.toReversed()
}

async function outcomeOf(
  ctx: Context,
  { execution, question: asked }: Past,
  governance: Governance,
  counters: PastCounters,
) {
  const { action, payload, learned } = asked
  const classification = await classifyAction(action, payload, governance, learned.standing?.trust)
  const question = { ...asked, classification, governance }
  const plans = await plansOf(ctx, question)
  const { outcome, tier } = await evaluateAction(ctx, { ...question, over: counters.over(plans, asked.at) })
  counters.add(plans, asked.at, outcome === 'run' || (outcome === 'hold' && hasStarted(execution)))
  return outcome === 'reject' ? 'REJECT' : tier
}

/** An action that would be held runs if people let it run then. */
const hasStarted = ({ status }: Execution): boolean =>
  ['executing', 'executed', 'failed', 'outcome_unknown', 'undone'].includes(status)

/** The instant (ms) from which on every window of a limit lies within the past that is replayed. */
export function warmFrom({ set }: Governance, past: readonly (Past | undefined)[]): number | undefined {
  const windows = set.limited.map(({ policy }) => (policy.limit ? windowSeconds(policy.limit.window) * 1_000 : 0))
  const times = past.flatMap((each) => (each ? [each.question.at] : []))
  return windows.length > 0 && times.length > 0 ? Math.min(...times) + Math.max(...windows) : undefined
}
