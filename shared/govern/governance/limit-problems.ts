// The rules between the members of a limit, and of all limits of a tenant and mode.
import type { Problem } from './conditions.ts'
import { isCurrency } from './currencies.ts'
import { COUNT_MAX, type Limit, windowSeconds } from './limit.ts'
import type { Policy, PolicyBody } from './policy.ts'

const LIMITED_MAX = 20
const WINDOW_MAX_S = 31 * 86_400
const AT = 'limit'
const NO_CURRENCY = 'must be an ISO 4217 currency such as EUR'

const repeats = (names: readonly string[]) => new Set(names).size < names.length

export function* limitProblems({ effect, limit }: PolicyBody): Generator<Problem> {
  if (!limit) return
  if (effect === 'relax_to') yield { path: [AT], message: 'relax_to may not depend on history' }
  if (windowSeconds(limit.window) > WINDOW_MAX_S) yield { path: [AT, 'window'], message: 'must not exceed 31 days' }
  if (repeats(limit.per)) yield { path: [AT, 'per'], message: 'must not name a key twice' }
  if (repeats(limit.give_back)) yield { path: [AT, 'give_back'], message: 'must not name an outcome twice' }
  if (limit.counts === 'requests' && limit.give_back.length > 0)
    yield { path: [AT, 'give_back'], message: 'goes with counts runs' }
  yield* limit.measure === 'count' ? countProblems(limit) : sumProblems(limit)
}

function* countProblems({ max, currency, rates }: Limit): Generator<Problem> {
  if (!Number.isInteger(max) || max > COUNT_MAX)
    yield { path: [AT, 'max'], message: `must be a whole number of at most ${COUNT_MAX} with measure count` }
  if (currency !== undefined) yield { path: [AT, 'currency'], message: 'goes with measure sum' }
  if (rates) yield { path: [AT, 'rates'], message: 'goes with measure sum' }
}

function* sumProblems({ max, currency, rates = {} }: Limit): Generator<Problem> {
  if (!/^\d+(?:\.\d{1,4})?$/.test(String(max))) yield { path: [AT, 'max'], message: 'must have at most 4 decimals' }
  if (currency === undefined) yield { path: [AT, 'currency'], message: 'is required with measure sum' }
  else if (!isCurrency(currency)) yield { path: [AT, 'currency'], message: NO_CURRENCY }
  for (const code of Object.keys(rates)) {
    if (code === currency) yield { path: [AT, 'rates', code], message: 'must not name the currency of the limit' }
    else if (!isCurrency(code)) yield { path: [AT, 'rates', code], message: NO_CURRENCY }
  }
}

/** Why there can be no further policy with a limit. */
export function tooManyLimits(body: PolicyBody, others: readonly Policy[]): string | undefined {
  const limited = others.filter(({ enabled, limit }) => enabled && limit).length
  return body.enabled && body.limit && limited >= LIMITED_MAX
    ? `You have ${LIMITED_MAX} enabled policies with a limit, which is the most. Disable one of them first.`
    : undefined
}

/** What decides which total an execution adds to. */
const countOf = ({ measure, window, per, currency }: Limit) => JSON.stringify([measure, window, per, currency])

/** Whether a new version of a policy counts something else than the version before, so that its count starts again. */
export const countsAnew = (was: Limit | undefined, next: Limit | undefined): boolean =>
  next !== undefined && (was === undefined || countOf(was) !== countOf(next))
