// What the transitions of an execution say about the arm of a live test whose model decided on it.
import { place, TRIED } from '../../base/catalog/measure-words.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import { ARMS } from '../learned/assignment.ts'
import { unpackUsed } from '../learned/used.ts'
import type { Execution } from './execution.ts'

type Of = Pick<Execution, 'learned'>
type Counted = [what: (typeof TRIED)[number], n: 0 | 1, k: 0 | 1]

export function tried({ learned }: Of, ...counted: Counted[]): Measure[] {
  const { drawn } = unpackUsed(learned)
  if (!drawn) return []
  const { test_id, arm, unit } = drawn
  return counted.map(([what, n, k]) => [
    'y',
    test_id,
    arm === ARMS[1] ? 1 : 0,
    place(TRIED, what),
    n,
    k,
    ...(unit === undefined ? [] : [unit]),
  ])
}

/** The action ran, or it failed; of those that ran with a window for it, some are undone later. */
export const triedRun = (execution: Of, executed: boolean, undoable: boolean): Measure[] =>
  tried(
    execution,
    ['failure_rate', 1, executed ? 0 : 1],
    ...(executed && undoable ? [['undo_rate', 1, 0] as Counted] : []),
  )

export const triedUndo = (execution: Of): Measure[] => tried(execution, ['undo_rate', 0, 1])
