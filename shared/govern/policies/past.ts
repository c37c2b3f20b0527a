// An execution of the past, ready to be decided on again.
import type { Context } from '../../base/context.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import { contextOf } from '../executions/reevaluate.ts'
import type { Question } from '../executions/evaluate-action.ts'
import type { Execution } from '../executions/execution.ts'
import type { Opened } from '../executions/execution-view.ts'
import { learnedAt, type PastAnswer } from '../executions/past-state.ts'
import { openSealed } from '../executions/sealed/open-execution.ts'
import { openOrigin } from '../executions/first-transaction.ts'
import { requesterOf } from '../governance/freeze.ts'
import { findAction, type LoadedAction } from '../manifests/load.ts'

export type Past = {
  execution: Execution
  question: Omit<Question, 'governance' | 'classification' | 'over' | 'followed'> & { at: number }
  answer: PastAnswer
}

/** The facts of an erased payload are missing. Undefined where the action is no longer registered. */
export async function openPast(ctx: Context, execution: Stored<Execution>): Promise<Past | undefined> {
  const action = await findAction(ctx.table, ctx.space, execution.node_id, execution.action_id)
  if (!action) return undefined
  const at = timeOfId(execution.id)
  const { opened } = await openSealed(ctx, execution)
  const [learned, origin] = await Promise.all([learnedAt(ctx, execution, at), openOrigin(ctx, execution)])
  const question = {
    action,
    payload: opened.payload,
    asked: execution.asked,
    requester: { ...requesterOf(execution), roles: origin?.roles },
    origin,
    agent_id: execution.agent_id,
    agent_bound: execution.agent_bound,
    decision_contract_id: execution.decision_contract_id,
    context: contextOf(execution),
    frozen: [],
    learned,
    at,
  }
  return { execution, question, answer: answerIn(execution, opened, action) }
}

/** What never ran might have answered anything, if it has a target; so might what ran before its sealed parts were taken away. */
export function answerIn(execution: Execution, { payload, output }: Opened, { endpoint }: LoadedAction): PastAnswer {
  if (output !== undefined) return { output }
  if (execution.output) return 'unknown' // erased
  if (!endpoint.target) return 'none'
  const hasAnswered = execution.status === 'executed' || execution.status === 'undone'
  return !hasStarted(execution) || (hasAnswered && payload === null) ? 'unknown' : 'none'
}

/** An action that would be held runs if people let it run then. */
export const hasStarted = ({ status }: Execution): boolean =>
  ['executing', 'executed', 'failed', 'outcome_unknown', 'undone'].includes(status)

/** When a held action began. */
export function begunAt({ artifacts }: Execution, asked: number): number {
  const first = artifacts.find(({ type }) => type === 'execution.started' || type === 'protocol.executed')
  return first ? Date.parse(first.at) : asked
}
