// Decides on past executions again under two sets of policies, in the order of their requests, so that each set counts what
// would have run under it, and follows on it.
import type { Context } from '../../base/context.ts'
import { classifyAction } from '../executions/payload.ts'
import { evaluateAction, plansOf } from '../executions/evaluate-action.ts'
import { PastMarks } from '../executions/past-state.ts'
import type { Governance } from '../governance/governance.ts'
import type { Decision } from '../governance/decide/evaluate.ts'
import { PastCounters } from '../limits/usage.ts'
import { begunAt, hasStarted, type Past } from './past.ts'

export type Change = { request_id: string; at: number; change: string }

/** Those whose decision differs, newest first. */
export async function changesIn(
  ctx: Context,
  past: readonly Past[],
  before: Governance,
  after: Governance,
): Promise<Change[]> {
  const [one, other] = [new Course(before), new Course(after)]
  const ordered = past.toSorted((a, b) => (a.execution.id < b.execution.id ? -1 : 1))
  const changes: Change[] = []
  for (const each of ordered) {
    const from = await one.next(ctx, each)
    const to = await other.next(ctx, each)
    const { execution, question } = each
    if (from !== to) changes.push({ request_id: execution.id, at: question.at, change: `${from}->${to}` })
  }
  return changes.toReversed()
}

/** How things would have gone under one set of policies. */
class Course {
  readonly #governance: Governance
  readonly #counters = new PastCounters()
  readonly #marks: PastMarks

  constructor(governance: Governance) {
    this.#governance = governance
    this.#marks = new PastMarks(governance.set)
  }

  /** What becomes of the next execution. */
  async next(ctx: Context, past: Past): Promise<string> {
    const { execution, question: asked } = past
    const { action, payload, learned, at } = asked
    const governance = this.#governance
    const classification = await classifyAction(action, payload, governance, learned.standing?.trust)
    const followed = this.#marks.followed(execution, at)
    const question = { ...asked, classification, governance, followed }
    const plans = await plansOf(ctx, question)
    const decision = await evaluateAction(ctx, { ...question, over: this.#counters.over(plans, at) })
    const runs = decision.outcome === 'run' || (decision.outcome === 'hold' && hasStarted(execution))
    this.#counters.add(plans, at, runs)
    if (runs) this.#leaveMarks(past, decision)
    return decision.outcome === 'reject' ? 'REJECT' : decision.tier
  }

  #leaveMarks({ execution, question: { action, at }, answer }: Past, { outcome, routing_decision }: Decision): void {
    const begins = outcome === 'run' ? at : begunAt(execution, at)
    this.#marks.began(execution, { action, kind: routing_decision.kind }, begins)
    if (this.#governance.settings.pii_mode === 'off') return
    const { executed_at } = execution
    this.#marks.answered(execution, answer, executed_at === undefined ? begins : Date.parse(executed_at))
  }
}
