// Finds conditions that can never be true. Their author cannot have intended them.
import { type Cond, isLeaf, type Leaf, partsOf, type Path, type Problem } from './conditions.ts'
import { TIERS } from '../../base/catalog/kinds.ts'

/** Leaves and lists that no request can satisfy. */
export function* contradictionsIn(cond: Cond | undefined, path: Path): Generator<Problem> {
  if (!cond) return
  if (isLeaf(cond)) {
    const { low, high } = rangeOf(cond)
    if (low > high) yield { path: [...path, 'value'], message: 'is an empty range' }
    return
  }
  if ('all' in cond) yield* contradictions(cond.all, [...path, 'all'])
  for (const { part, steps } of partsOf(cond)) yield* contradictionsIn(part, [...path, ...steps])
}

/** Leaves on one field whose allowed values or ranges exclude each other. */
function* contradictions(parts: readonly Cond[], path: Path): Generator<Problem> {
  const seen = new Map<string, { value?: unknown; low: number; high: number }>()
  for (const [i, leaf] of parts.entries()) {
    if (!isLeaf(leaf)) continue
    const before = seen.get(leaf.field)
    const range = rangeOf(leaf)
    const low = Math.max(range.low, before?.low ?? -Infinity)
    const high = Math.min(range.high, before?.high ?? Infinity)
    const isOther = leaf.op === 'eq' && before?.value !== undefined && before.value !== leaf.value
    if (before && (isOther || low > high))
      yield { path: [...path, i], message: 'can never be true together with the conditions before it' }
    seen.set(leaf.field, { value: leaf.op === 'eq' ? leaf.value : before?.value, low, high })
  }
}

const TIER_NAMES: readonly unknown[] = TIERS
const orderOf = (value: unknown) => (typeof value === 'number' ? value : TIER_NAMES.indexOf(value))

/** The range of numbers, or of tier ranks, that a leaf allows. `gt` and `lt` exclude their bound by the smallest step. */
export function rangeOf({ op, value }: Leaf): { low: number; high: number } {
  const [first, second] = (Array.isArray(value) ? value : [value]).map(orderOf)
  const everything = { low: -Infinity, high: Infinity }
  if (first === undefined) return everything
  if (op === 'eq') return { low: first, high: first }
  if (op === 'between') return { low: first, high: second ?? first }
  if (op === 'gt' || op === 'gte') return { ...everything, low: op === 'gt' ? above(first) : first }
  if (op === 'lt' || op === 'lte') return { ...everything, high: op === 'lt' ? -above(-first) : first }
  return everything
}

const above = (number: number) => number + Math.max(Number.MIN_VALUE, Math.abs(number) * Number.EPSILON)
