// Which counters an action adds to, and how much. Pure. Amounts are whole ten-thousandths: a sum of thirty times 0.1 is 3, which
// floating point numbers do not give.
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import type { CompiledSet } from '../governance/conditions/compile.ts'
import type { Facts } from '../governance/conditions/fact-list.ts'
import { type Limit, type LimitKey, SUM_MAX, windowSeconds } from '../governance/rule-terms.ts'
import type { Policy } from '../governance/policy.ts'
import type { Share } from './window.ts'

/** Who requests, and to whom it goes. */
export type Parties = {
  agent: string
  principal: string
  person: string
  /** Undefined if one of them cannot be read. */
  recipient_domains: readonly string[] | undefined
}

export type Counter = Share & {
  policy_id: string
  /** The policy, with the version that the count began with. */
  name: string
  hash: string
  shards: number
  /** The total may exceed its limit, because the policy only watches. */
  shadow: boolean
  requests: boolean
  give_back: Limit['give_back']
}

/** The counters of one policy; undefined where it is unknown what to count. */
export type Plan = { policy_id: string; counters: Counter[] | undefined }

const COUNTERS_MAX = 8
const DOMAINS_MAX = 4
const HASH_LENGTH = 32
/** One item takes fewer writes in a second. */
const PER_SECOND_MAX = 100
export const SHARDS = 16

/** The plans of the policies in scope whose condition may hold, in their order. */
export function plansFor({ limited }: CompiledSet, facts: Facts, parties: Parties): Plan[] {
  let left = COUNTERS_MAX
  return limited.flatMap(({ policy, inScope, condition }): Plan[] => {
    if (inScope(facts) === false || condition.test(facts) === false) return []
    const { policy_id } = policy
    const counters = countersOf(policy, facts, parties)
    if (!counters || counters.length > left) return [{ policy_id, counters: undefined }]
    left -= counters.length
    return [{ policy_id, counters }]
  })
}

function countersOf(policy: Policy, facts: Facts, parties: Parties): Counter[] | undefined {
  const { limit } = policy
  const n = limit && addedBy(limit, facts)
  const hashes = limit && hashesOf(limit.per, valuesOf(facts, parties))
  if (!limit || n === undefined || !hashes) return undefined
  return hashes.map((hash) => ({ ...counterOf(policy, limit), hash, n }))
}

/** A counter of a policy, without its key and the amount to add. */
export function counterOf(policy: Policy, limit: Limit) {
  const { policy_id, counts_since, mode } = policy
  const { measure, max, window, counts, give_back } = limit
  const seconds = windowSeconds(window)
  return {
    policy_id,
    name: counts_since === undefined ? policy_id : `${policy_id}.${counts_since}`,
    max: measure === 'count' ? BigInt(max) : tenThousandths(max),
    windowMs: seconds * 1_000,
    shards: measure === 'count' && max / seconds > PER_SECOND_MAX ? SHARDS : 1,
    shadow: mode === 'shadow',
    requests: counts === 'requests',
    give_back,
  }
}

/** What a list names adds up. Undefined for an amount that is missing, too large or in a currency that the limit does not name. */
function addedBy({ measure, currency, rates = {} }: Limit, { named, amounts }: Facts): bigint | undefined {
  if (measure === 'count') return 1n
  const { 'signals.amount': amount, 'signals.currency': given = '' } = named
  const rate = given === currency ? 1 : Object.hasOwn(rates, given) ? rates[given] : undefined
  if (amount === undefined || rate === undefined || !amounts?.every(Number.isFinite)) return undefined
  const units = amounts.reduce((sum, one) => sum + tenThousandths(one, rate), 0n)
  return units > SUM_MOST ? undefined : units
}

type Values = Record<LimitKey, readonly string[] | undefined>

const valuesOf = ({ named }: Facts, { agent, principal, person, recipient_domains }: Parties): Values => ({
  agent: [agent],
  principal: [principal],
  person: [person],
  node: [named['node.id'] ?? ''],
  action: [`${named['node.id']}/${named['action.id']}`],
  kind: [named['action.kind'] ?? ''],
  recipient_domain: recipient_domains,
})

/** One for each recipient's domain; undefined if one of them cannot be read, or if there are too many. */
function hashesOf(per: Limit['per'], values: Values): string[] | undefined {
  const { recipient_domain: domains } = values
  const first = (key: LimitKey) => values[key]?.[0] ?? ''
  if (!per.includes('recipient_domain')) return [keyHash(per.map((key) => [key, first(key)]))]
  if (!domains || domains.length > DOMAINS_MAX) return undefined
  return domains
    .toSorted()
    .map((domain) => keyHash(per.map((key) => [key, key === 'recipient_domain' ? domain : first(key)])))
}

/** Names the counter of some values, in the order of the policy's `per`. */
export const keyHash = (values: readonly (readonly [key: LimitKey, value: string])[]): string =>
  sha256Hex(canonicalJson(values.map((pair) => pair.join(':')))).slice(0, HASH_LENGTH)

const PLACES = 4

type Decimal = { digits: bigint; places: number }

/** A positive number by its shortest decimal form, which is what its author wrote. */
function decimalOf(value: number): Decimal {
  const [, whole = '0', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  return { digits: BigInt(whole + fraction), places: fraction.length - Number(exponent) }
}

/** An amount times a rate, in ten-thousandths, rounded up. */
export function tenThousandths(amount: number, rate = 1): bigint {
  const [a, b] = [decimalOf(amount), decimalOf(rate)]
  const digits = a.digits * b.digits
  const extra = a.places + b.places - PLACES
  if (extra <= 0) return digits * 10n ** BigInt(-extra)
  const unit = 10n ** BigInt(extra)
  return (digits + unit - 1n) / unit
}

const SUM_MOST = tenThousandths(SUM_MAX)

/** For people. */
export const fromTenThousandths = (units: bigint): number => Number(units) / 10 ** PLACES
