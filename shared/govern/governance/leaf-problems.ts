// Checks the optional members of a comparison.
import type { Path, Problem } from './conditions.ts'
import { isCurrency } from './currencies.ts'
import type { FactType } from './fact-list.ts'
import { FOLDED_OPS, type Op } from './operators.ts'

type Options = { field: string; op: Op; type: FactType; ignore_case?: unknown; currency?: unknown }

const TEXT_TYPES: readonly FactType[] = ['string', 'enum', 'list', 'any']

export function* optionProblems({ field, op, type, ignore_case, currency }: Options, path: Path): Generator<Problem> {
  if (ignore_case !== undefined) {
    const goes = TEXT_TYPES.includes(type) && FOLDED_OPS.includes(op)
    if (!goes) yield { path: [...path, 'ignore_case'], message: 'goes with comparisons of texts only' }
    else if (typeof ignore_case !== 'boolean') yield { path: [...path, 'ignore_case'], message: 'must be a boolean' }
  }
  if (currency === undefined) return
  if (field !== 'signals.amount') yield { path: [...path, 'currency'], message: 'goes with signals.amount only' }
  else if (!isCurrency(currency))
    yield { path: [...path, 'currency'], message: 'must be an ISO 4217 currency such as EUR' }
}
