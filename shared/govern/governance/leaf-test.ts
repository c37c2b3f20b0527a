// Compiles one comparison of a condition to a closure. A stored comparison that this version of the service cannot read is
// always unknown.
import type { Leaf } from './conditions.ts'
import { factRow, type Facts } from './fact-list.ts'
import { type Calendars, type Hours, withinTest } from './hours.ts'
import { folded } from './fold.ts'
import { OPERATORS, type Value } from './operators.ts'
import { stepsOf, valueAt, valuesAt } from './pointer.ts'
import type { Truth } from './truth.ts'

type Test = (actual: unknown) => Truth

const LIST_OPS: readonly string[] = ['any_in', 'none_in', 'all_in', 'contains', 'domain_in', 'any_domain_in']

/** Reads the field of a leaf. */
function readerOf(field: string): (facts: Facts) => unknown {
  if (field.startsWith('context.')) {
    const name = field.slice('context.'.length)
    return ({ context }) => {
      const value = context && Object.hasOwn(context, name) ? context[name] : undefined
      return typeof value === 'object' ? undefined : value
    }
  }
  return ({ named }) => Reflect.get(named, field)
}

/** The result that all elements share; unknown when elements differ or there are none. */
function forEach(values: readonly unknown[] | undefined, test: Test): Truth {
  if (!values || values.length === 0) return undefined
  const first = test(values[0])
  return values.every((value) => test(value) === first) ? first : undefined
}

/** Undefined for an operator that does not exist. */
function comparisonOf({ op, value, ignore_case }: Leaf, calendars: Calendars): Test | undefined {
  if (op === 'within') return withinTest(value as Hours, calendars)
  if (op === 'exists' || !Object.hasOwn(OPERATORS, op)) return undefined
  if (!ignore_case) return OPERATORS[op](value as Value | undefined)
  const test = OPERATORS[op](folded(value) as Value | undefined)
  return (actual) => test(folded(actual))
}

function existenceTest(steps: readonly string[], wanted: unknown): (facts: Facts) => Truth {
  const exists = ({ payload }: Facts): boolean => {
    if (!steps.includes('*')) return valueAt(payload, steps) !== undefined
    const values = valuesAt(payload, steps)
    return values !== undefined && values.length > 0 && values.every((element) => element !== undefined)
  }
  return (facts) => exists(facts) === (wanted ?? true)
}

function payloadTest(steps: readonly string[], { op }: Leaf, test: Test): (facts: Facts) => Truth {
  if (!steps.includes('*')) return ({ payload }) => test(valueAt(payload, steps))
  if (LIST_OPS.includes(op)) return ({ payload }) => test(valuesAt(payload, steps))
  return ({ payload }) => forEach(valuesAt(payload, steps), test)
}

export function leafTest(leaf: Leaf, calendars: Calendars): (facts: Facts) => Truth {
  const { field, op, value, currency } = leaf
  const test = comparisonOf(leaf, calendars)
  if (field.startsWith('payload.')) {
    const steps = stepsOf(field.slice('payload.'.length))
    if (!steps) return () => undefined
    if (op === 'exists') return existenceTest(steps, value)
    return test ? payloadTest(steps, leaf, test) : () => undefined
  }
  if (!factRow(field) || !test) return () => undefined
  const read = readerOf(field)
  if (currency === undefined) return (facts) => test(read(facts))
  return (facts) => (facts.named['signals.currency'] === currency ? test(read(facts)) : undefined)
}
