// The tree of a policy's condition.
import type { Hours } from './hours.ts'
import type { Op, Value } from './operators.ts'

export type Leaf = {
  field: string
  op: Op
  value?: Value | Hours | undefined
  /** Of texts: compares what NFKC and lower case make of them. */
  ignore_case?: boolean | undefined
  /** Of `signals.amount`: unknown unless the payload names this currency alone. */
  currency?: string | undefined
}
export type Cond = { all: Cond[] } | { any: Cond[] } | { not: Cond } | Leaf

export type Path = (string | number)[]
export type Problem = { path: Path; message: string }

export const isLeaf = (cond: Cond): cond is Leaf => 'field' in cond

/** The direct children of a condition, each with its path. */
export function partsOf(cond: Cond): { part: Cond; steps: Path }[] {
  if ('not' in cond) return [{ part: cond.not, steps: ['not'] }]
  if ('all' in cond) return cond.all.map((part, i) => ({ part, steps: ['all', i] }))
  return 'any' in cond ? cond.any.map((part, i) => ({ part, steps: ['any', i] })) : []
}

/** All leaves with their paths. */
export function* leavesOf(cond: Cond | undefined, path: Path = []): Generator<{ leaf: Leaf; path: Path }> {
  if (!cond) return
  if (isLeaf(cond)) yield { leaf: cond, path }
  for (const { part, steps } of partsOf(cond)) yield* leavesOf(part, [...path, ...steps])
}

/** Number of nodes, leaves included. */
export const sizeOf = (cond: Cond | undefined): number =>
  cond ? partsOf(cond).reduce((size, { part }) => size + sizeOf(part), 1) : 0
