// Terms of a policy: the member `grant` of an approval rule, by which approvers may allow the same action for a while, and the member
// `limit`, how much may happen in a sliding window before the policy fires. `checks/` holds the rules between their members; the room
// `limits` counts.
import { KIND_NAMES, KINDS } from '../../base/catalog/kinds.ts'
import type { Policy } from './policy.ts'
import * as z from 'zod'

export const ALLOW_MIN_S = 60
export const ALLOW_MAX_S = 28_800
export const USES_MAX = 100

export type GrantRule = {
  max_s: number
  max_uses: number
  /** JSON pointers of the members that may differ from what was approved. */
  free: string[]
  /** JSON pointers of numbers that may be smaller than the approved ones. */
  at_most: string[]
}

/** Whether each action of a kind needs an approval of its own; a kind that nobody knows does, too. */
export function needsApprovalEach(kind: string): boolean {
  const known = KIND_NAMES.find((name) => name === kind)
  return known === undefined || KINDS[known].classFloor === 'HARD'
}

/**
 * The grant that all policies that asked for an approval permit: the smallest figures, and the members that each of them lets differ. None
 * unless each of them permits it.
 */
export function grantOf(policies: readonly Pick<Policy, 'approval'>[]): GrantRule | undefined {
  const rules = policies.flatMap(({ approval }) => approval?.grant ?? [])
  const [first, ...others] = rules
  if (!first || rules.length < policies.length) return undefined
  const isFree = (pointer: string) => rules.every(({ free = [] }) => free.includes(pointer))
  const named = namedIn(first).filter((pointer) => others.every((rule) => namedIn(rule).includes(pointer)))
  return {
    max_s: Math.min(...rules.map(({ max_s }) => max_s)),
    max_uses: Math.min(...rules.map(({ max_uses }) => max_uses)),
    free: named.filter(isFree).toSorted(),
    at_most: named.filter((pointer) => !isFree(pointer)).toSorted(),
  }
}

const namedIn = ({ free = [], at_most = [] }: Partial<GrantRule>) => [...free, ...at_most]

/** Optional, with `null` counting as absent. Issues keep the path inside the value, which a union with null would lose. */
export const maybe = <S extends z.ZodType>(schema: S) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional()

/** Like `maybe`, with a default for an absent value. */
export const orElse = <S extends z.ZodType>(schema: S, value: NoInfer<z.output<S>>) =>
  schema.nullish().transform((given): z.output<S> => given ?? value)

/** Whose count it is: each value of a key has its own. */
export const LIMIT_KEYS = ['agent', 'principal', 'person', 'node', 'action', 'kind', 'recipient_domain'] as const
export type LimitKey = (typeof LIMIT_KEYS)[number]

const SECONDS = { m: 60, h: 3_600, d: 86_400 } as const
/** So that every total of a window, in ten-thousandths, is an exact number. */
export const SUM_MAX = 900_000_000_000
export const COUNT_MAX = 1_000_000_000

const currency = z.string().regex(/^[A-Z]{3}$/, 'must be a currency code of three capital letters')

const window = z.string().regex(/^[1-9]\d{0,4}[mhd]$/, 'must be a number and m, h or d, such as 24h')

/** Strict, so that a misspelt member does not turn a limit into a looser one. */
export const limit = z.strictObject({
  measure: z.enum(['count', 'sum']).describe('What is counted: executions, or the amounts of their payloads.'),
  max: z.number().positive().max(SUM_MAX).describe('The largest total that passes.'),
  window: window.describe('The sliding window: a number and `m`, `h` or `d`, from `1m` to `31d`.'),
  per: orElse(z.array(z.enum(LIMIT_KEYS)).max(2), []).describe(
    'What has a total of its own; with an empty list all share one.',
  ),
  currency: maybe(currency).describe(
    'The currency of `max`. Amounts in another one cannot be counted, unless `rates` names it.',
  ),
  rates: maybe(z.record(currency, z.number().positive().max(1_000_000))).describe(
    'What one unit of another currency is worth in `currency`.',
  ),
  counts: orElse(z.enum(['runs', 'requests']), 'runs').describe(
    'Whether actions that start are counted, or all requests.',
  ),
  give_back: orElse(z.array(z.enum(['failed', 'undone'])), []).describe(
    'After which outcomes an action is no longer counted.',
  ),
})
export type Limit = z.output<typeof limit>

/** The length of a window. */
export const windowSeconds = (text: string): number =>
  Number(text.slice(0, -1)) * SECONDS[text.slice(-1) as keyof typeof SECONDS]
