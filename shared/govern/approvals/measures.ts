// Which figures the transitions of an approval state for everything that is counted.
import { ENDS, place, SLA_RESULTS } from '../../base/catalog/measure-words.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import type { Execution } from '../executions/execution.ts'
import { tried } from '../executions/tried.ts'
import { unpackUsed } from '../learned/used.ts'
import type { Approval } from './approval.ts'
import { slaOf } from './sla.ts'

export const ASKED: Measure = ['a']

/** Of a decision of people on an action that was held whatever a model said: whether each model that judged it agrees with them. */
export function judged(execution: Pick<Execution, 'learned'>, approved: boolean): Measure[] {
  const { model, held_anyway, test } = unpackUsed(execution.learned)
  if (!model || model.score === null || !held_anyway) return []
  const agrees = (score: number) => (score >= 0.5 === approved ? 1 : 0)
  const own = agrees(model.score)
  return [
    ['q', model.slot, model.version, own],
    ...(test ? [['x', test.id, own, agrees(test.score)] satisfies Measure] : []),
    ...tried(execution, ['agreement', 1, own], ['approval_rate', 1, approved ? 1 : 0]),
  ]
}

/** Of an approval in its last state; `now` (ms) is the moment of its end. */
export function ended(approval: Approval, how: (typeof ENDS)[number], now: number): Measure {
  const seconds = Math.max(0, Math.floor((now - Date.parse(approval.requested_at)) / 1_000))
  return [
    'e',
    place(ENDS, how),
    seconds,
    Math.max(
      0,
      SLA_RESULTS.findIndex((result) => result === slaOf(approval)?.status),
    ),
  ]
}
