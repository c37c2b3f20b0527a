// The tree of a policy's condition, and whether one condition is true wherever another is.
import type { Hours } from './hours.ts'
import type { Op, Value } from './operators.ts'
import { canonicalJson } from '../../../base/lib/json.ts'

export type Leaf = {
  field: string
  op: Op
  value?: Value | Hours | undefined
  /** Texts are compared in NFKC and lower case. */
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

/**
 * Whether one condition is true wherever the other is, as far as their form proves it. Of the three results false is the lowest,
 * unknown the next and true the highest: the first condition must never be lower than the second. Both may be absent, which is always
 * true. A pair that was compared once is remembered, so that the time stays polynomial.
 */
export function isAtLeast(one: Cond | undefined, other: Cond | undefined): boolean {
  if (one === undefined) return true
  if (other === undefined) return false
  const known = new Map<Cond, Map<Cond, boolean>>()
  const atLeast = (a: Cond, b: Cond): boolean => {
    const row = known.get(a) ?? new Map<Cond, boolean>()
    known.set(a, row)
    const result = row.get(b) ?? compare(a, b, atLeast)
    row.set(b, result)
    return result
  }
  return atLeast(one, other)
}

type AtLeast = (one: Cond, other: Cond) => boolean

/** Cases that need a proof for all parts come first, since they lose no proof. */
function compare(one: Cond, other: Cond, atLeast: AtLeast): boolean {
  if (isLeaf(one) && isLeaf(other)) return isLeafAtLeast(one, other)
  if ('all' in one) return one.all.every((part) => atLeast(part, other))
  if ('any' in other) return other.any.every((part) => atLeast(one, part))
  if ('not' in one && 'not' in other) return atLeast(other.not, one.not)
  if ('any' in one && one.any.some((part) => atLeast(part, other))) return true
  return 'all' in other && other.all.some((part) => atLeast(one, part))
}

/** Operators by what happens to the result when the bound rises, or when the list of texts grows. */
const RISING: readonly Op[] = ['lt', 'lte']
const FALLING: readonly Op[] = ['gt', 'gte']
const GROWING: readonly Op[] = ['in', 'any_in', 'all_in']
const SHRINKING: readonly Op[] = ['not_in', 'none_in']

function isLeafAtLeast({ op, value, ...one }: Leaf, { op: otherOp, value: otherValue, ...other }: Leaf): boolean {
  if (op !== otherOp || !isSame(one, other)) return false
  if (isSame(value, otherValue)) return true
  if (RISING.includes(op)) return isAtMost(otherValue, value)
  if (FALLING.includes(op)) return isAtMost(value, otherValue)
  if (GROWING.includes(op)) return isAmong(otherValue, value)
  return SHRINKING.includes(op) && isAmong(value, otherValue)
}

const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one ?? null) === canonicalJson(other ?? null)

const isAtMost = (one: Leaf['value'], other: Leaf['value']): boolean =>
  typeof one === 'number' && typeof other === 'number' && one <= other

function isAmong(one: Leaf['value'], other: Leaf['value']): boolean {
  const [some, more] = [textsIn(one), textsIn(other)]
  return some !== undefined && more !== undefined && some.every((text) => more.includes(text))
}

/** The texts of a list that holds at least one, and nothing else: a list without a text is unknown for every text. */
function textsIn(value: Leaf['value']): string[] | undefined {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  const texts = list.filter((one) => typeof one === 'string')
  return texts.length > 0 && texts.length === list.length ? texts : undefined
}
