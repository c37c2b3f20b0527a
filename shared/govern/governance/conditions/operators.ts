// The operators of conditions: which types of facts take them, and how each compares. An actual value that is absent or of the
// wrong type makes the result unknown.
import net from 'node:net'
import { asDomains, hostOf, isInside } from '../domains.ts'
import type { FactType } from './fact-list.ts'
import { globMatches } from './glob.ts'
import { TIERS } from '../../../base/catalog/kinds.ts'
import { all, any, not, type Truth } from '../decide/evaluation.ts'

const TEXT_OPS = ['eq', 'ne', 'in', 'not_in', 'starts_with', 'ends_with', 'contains', 'glob'] as const
const ORDER_OPS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'between', 'in', 'not_in'] as const
const LIST_OPS = ['any_in', 'none_in', 'all_in', 'contains'] as const
const HOST_OPS = ['domain_in', 'any_domain_in'] as const
const OWN_OPS = ['cidr_in', 'within', 'exists'] as const

export const OPS = [...new Set([...TEXT_OPS, ...ORDER_OPS, ...LIST_OPS, ...HOST_OPS, ...OWN_OPS])] as const

export type Op = (typeof OPS)[number]

export const OPS_OF: Record<FactType, readonly Op[]> = {
  string: TEXT_OPS,
  enum: TEXT_OPS,
  number: ORDER_OPS,
  tier: ORDER_OPS,
  boolean: ['eq'],
  ip: ['cidr_in'],
  time: ['within'],
  list: LIST_OPS,
  hosts: [...LIST_OPS, ...HOST_OPS],
  any: OPS.filter((op) => op !== 'exists' && op !== 'within'),
}

/** Operators that may ignore the case of letters. */
export const FOLDED_OPS: readonly Op[] = [...TEXT_OPS, ...LIST_OPS]

export type Scalar = string | number | boolean
/** The value that a condition compares a fact with. */
export type Value = Scalar | Scalar[]

type Test = (actual: unknown) => Truth

const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const listOf = (value: Value | undefined): Scalar[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]
const textsOf = (value: Value | undefined): string[] => listOf(value).map(String)

const onText =
  (test: (text: string) => boolean): Test =>
  (actual) =>
    isText(actual) ? test(actual) : undefined
const onTexts =
  (test: (texts: string[]) => Truth): Test =>
  (actual) =>
    isTexts(actual) ? test(actual) : undefined

const TIER_NAMES: readonly unknown[] = TIERS
const rankOf = (tier: unknown): number | undefined => {
  const rank = TIER_NAMES.indexOf(tier)
  return rank === -1 ? undefined : rank
}

/** Compares numbers, or tiers by their rank. */
const onOrder = (bounds: readonly Scalar[], test: (actual: number, bounds: readonly number[]) => boolean): Test => {
  const asOrder = bounds.some(isText) ? rankOf : (value: unknown) => (typeof value === 'number' ? value : undefined)
  const limits = bounds.map((bound) => asOrder(bound) ?? Number.NaN)
  return (actual) => {
    const order = asOrder(actual)
    return order === undefined ? undefined : test(order, limits)
  }
}

const compared = (holds: (actual: number, bound: number) => boolean) => (value: Value | undefined) =>
  onOrder(listOf(value), (actual, [bound = Number.NaN]) => holds(actual, bound))

/** Membership among the values of the same type; unknown when there are none of that type. */
const among =
  (values: readonly Scalar[]): Test =>
  (actual) => {
    if (values.some((value) => value === actual)) return true
    return values.some((value) => typeof value === typeof actual) ? false : undefined
  }

const negated =
  (test: Test): Test =>
  (actual) =>
    not(test(actual))

/** The parts of an address range in CIDR notation; undefined for any other text. */
export function rangeOf(cidr: string): { network: string; bits: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [, network = '', bits = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(cidr) ?? []
  const version = net.isIP(network)
  if (version === 0 || Number(bits) > (version === 4 ? 32 : 128)) return undefined
  return { network, bits: Number(bits), family: version === 4 ? 'ipv4' : 'ipv6' }
}

function inRanges(cidrs: readonly string[]): Test {
  const ranges = new net.BlockList()
  for (const cidr of cidrs) {
    const range = rangeOf(cidr)
    if (range) ranges.addSubnet(range.network, range.bits, range.family)
  }
  return (actual) => {
    const version = isText(actual) ? net.isIP(actual) : 0
    return isText(actual) && version !== 0 ? ranges.check(actual, version === 4 ? 'ipv4' : 'ipv6') : undefined
  }
}

type Over = (hosts: readonly string[], inside: (host: string) => Truth) => Truth

function inDomains(value: Value | undefined, over: Over): Test {
  const domains = asDomains(textsOf(value))
  const inside = (address: string): Truth => {
    const host = hostOf(address)
    return host === undefined ? undefined : isInside(host, domains)
  }
  return (actual) => (isText(actual) ? inside(actual) : isTexts(actual) ? over(actual, inside) : undefined)
}

/** Tests for a substring of a text, or a member of a list. */
const contains = (value: Value | undefined): Test => {
  const part = String(value)
  return (actual) => (isText(actual) ? actual.includes(part) : isTexts(actual) ? actual.includes(part) : undefined)
}

const members = (value: Value | undefined, test: (texts: string[], has: (text: string) => boolean) => Truth): Test => {
  const set = new Set(textsOf(value))
  return onTexts((texts) => test(texts, (text) => set.has(text)))
}

/** Builds the test of an operator with its value. */
export const OPERATORS: Record<Exclude<Op, 'exists' | 'within'>, (value: Value | undefined) => Test> = {
  eq: (value) => among(listOf(value)),
  ne: (value) => negated(among(listOf(value))),
  in: (value) => among(listOf(value)),
  not_in: (value) => negated(among(listOf(value))),
  starts_with: (value) => onText((text) => text.startsWith(String(value))),
  ends_with: (value) => onText((text) => text.endsWith(String(value))),
  glob: (value) => onText((text) => globMatches(String(value), text)),
  contains,
  gt: compared((actual, bound) => actual > bound),
  gte: compared((actual, bound) => actual >= bound),
  lt: compared((actual, bound) => actual < bound),
  lte: compared((actual, bound) => actual <= bound),
  between: (value) =>
    onOrder(listOf(value), (actual, [low = Number.NaN, high = Number.NaN]) => low <= actual && actual <= high),
  any_in: (value) => members(value, (texts, has) => any(texts, has)),
  none_in: (value) => members(value, (texts, has) => !texts.some(has)),
  all_in: (value) => members(value, (texts, has) => texts.every(has)),
  domain_in: (value) => inDomains(value, all),
  any_domain_in: (value) => inDomains(value, any),
  cidr_in: (value) => inRanges(textsOf(value)),
}
