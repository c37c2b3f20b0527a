// Warns the author of a policy about effects that are allowed but perhaps not intended, by the policy alone and under the settings of the
// tenant. The rules between the members of a limit are here, too.
import { isCredentialId } from '../../../base/lib/ids.ts'
import { isLeaf, type Leaf, leavesOf, type Problem } from '../conditions/condition.ts'
import { factRow } from '../conditions/fact-list.ts'
import type { Op } from '../conditions/operators.ts'
import type { Policy, PolicyBody } from '../policy.ts'
import type { GovernanceSettings } from '../settings.ts'
import { isCurrency } from '../conditions/problems.ts'
import { COUNT_MAX, type Limit, windowSeconds } from '../rule-terms.ts'

type Eligible = (groups: readonly string[]) => number

export const policyWarnings = (body: PolicyBody, eligible: Eligible | undefined): string[] => [
  ...optionalFactWarnings(body),
  ...agentWarnings(body),
  ...currencyWarnings(body),
  ...caseWarnings(body),
  ...(eligible ? quorumWarnings(body, eligible) : []),
]

const isNarrow = ({ scope, when }: PolicyBody): boolean =>
  Object.values(scope).some((globs) => globs.length > 0) ||
  (when !== undefined && 'all' in when && when.all.some((part) => isLeaf(part) && part.field === 'action.kind'))

/** A policy that tightens fires where a fact is missing, which is rarely intended unless its scope is narrow. */
function optionalFactWarnings(body: PolicyBody): string[] {
  if (body.effect === 'relax_to' || isNarrow(body)) return []
  const leaves = [...leavesOf(body.when), ...leavesOf(body.unless)].map(({ leaf }) => leaf)
  const fields = leaves.filter(({ field, op }) => factRow(field)?.optional && op !== 'exists').map(({ field }) => field)
  return [...new Set(fields)].map(
    (field) =>
      `The policy reads ${field}, which many actions do not have, and fires on all of those. Narrow its scope, or put the condition beside one on action.kind in an "all".`,
  )
}

/**
 * A policy that names agents also fires for callers without a bound agent. Otherwise a caller could avoid the policy by
 * naming another agent, or none.
 */
const agentWarnings = ({ effect, scope }: PolicyBody): string[] =>
  effect === 'relax_to' || scope.agents.every(isCredentialId)
    ? []
    : [
        'The policy names agents. It also fires for every key and client that no agent is bound to, and for every client that acts for a person, because any agent may use those.',
      ]

const leavesIn = ({ when, unless }: PolicyBody): Leaf[] =>
  [...leavesOf(when), ...leavesOf(unless)].map(({ leaf }) => leaf)

/** 5,000 yen are no 5,000 euros. */
function currencyWarnings(body: PolicyBody): string[] {
  const leaves = leavesIn(body)
  const isOpen = leaves.some(({ field, currency }) => field === 'signals.amount' && currency === undefined)
  return isOpen && !leaves.some(({ field }) => field === 'signals.currency')
    ? ['The policy compares amounts of any currency. Add "currency" beside the comparison of signals.amount.']
    : []
}

const FOLDED: readonly Op[] = [
  'eq',
  'ne',
  'in',
  'not_in',
  'starts_with',
  'ends_with',
  'contains',
  'any_in',
  'none_in',
  'all_in',
]
const isText = (value: unknown) => typeof value === 'string' && value.toLowerCase() !== value.toUpperCase()

/** Callers write the payload and the context, in upper or lower case as they like. */
function caseWarnings(body: PolicyBody): string[] {
  const exact = leavesIn(body).filter(
    ({ field, op, value, ignore_case }) =>
      /^(?:payload|context)\./.test(field) && FOLDED.includes(op) && [value].flat().some(isText) && !ignore_case,
  )
  return [...new Set(exact.map(({ field }) => field))].map(
    (field) =>
      `The policy compares the text ${field} exactly, so "A" is not "a". Add "ignore_case": true unless that is what you want.`,
  )
}

function quorumWarnings({ approval }: PolicyBody, eligible: Eligible): string[] {
  return (approval?.stages ?? []).flatMap(({ groups, min_approvals, mode }, i) => {
    const people = mode === 'each' ? Math.min(...groups.map((group) => eligible([group]))) : eligible(groups)
    return people < min_approvals
      ? [`Stage ${i + 1} asks for ${min_approvals} approvals, but only ${people} can give one.`]
      : []
  })
}

export type ConcerningSettings = Pick<GovernanceSettings, 'approval_ttl_s' | 'pii_mode' | 'require_human_approver'>

/** Warns where the settings keep a policy from doing what it says. Settings may change, so it is no error. */
export const settingsWarnings = (body: PolicyBody, settings: ConcerningSettings): string[] => [
  ...escalationWarnings(body, settings),
  ...searchWarnings(body, settings),
  ...keyWarnings(body, settings),
]

/** Another policy that asks with it may give more time. */
function escalationWarnings({ approval }: PolicyBody, { approval_ttl_s }: ConcerningSettings): string[] {
  const { escalate_after_s, expires_in_s } = approval ?? {}
  if (escalate_after_s === undefined || expires_in_s !== undefined || escalate_after_s < approval_ttl_s) return []
  return [
    `The policy escalates after ${escalate_after_s} seconds, but its approvals expire after ${approval_ttl_s}, by the setting approval_ttl_s. Add a larger "expires_in_s", or escalate earlier.`,
  ]
}

function searchWarnings({ when, unless, after }: PolicyBody, { pii_mode }: ConcerningSettings): string[] {
  if (pii_mode !== 'off') return []
  const reads = [...leavesOf(when), ...leavesOf(unless)].some(({ leaf }) => leaf.field === 'signals.pii')
  const follows = (after?.output ?? []).length > 0
  return reads || follows
    ? [
        'The policy goes by personal data, of which none is found while the setting pii_mode is off. Set it to "detect".',
      ]
    : []
}

/** Where a person decides, a stage of keys alone is one that nobody can complete. */
function keyWarnings({ approval }: PolicyBody, { require_human_approver: setting }: ConcerningSettings): string[] {
  const isOfKeys = ({ groups }: { groups: readonly string[] }) => groups.every((group) => group.startsWith('key:'))
  if (setting === false || !approval?.stages.some(isOfKeys)) return []
  const where = setting === true ? 'on every action' : 'on payments, deletions and the like in live mode'
  return [
    `A stage of the policy names only keys, but a person decides ${where}, by the setting require_human_approver. Name people, too.`,
  ]
}

const LIMITED_MAX = 20
const WINDOW_MAX_S = 31 * 86_400
const AT = 'limit'
const NO_CURRENCY = 'must be an ISO 4217 currency such as EUR'

const repeats = (names: readonly string[]) => new Set(names).size < names.length

/** The problems of a limit: members that exclude each other, and figures out of range. */
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

/** The members of a limit by which an execution finds its total. */
const countOf = ({ measure, window, per, currency }: Limit) => JSON.stringify([measure, window, per, currency])

/** Whether a new version of a policy counts something else than the version before, so its count starts again. */
export const countsAnew = (was: Limit | undefined, next: Limit | undefined): boolean =>
  next !== undefined && (was === undefined || countOf(was) !== countOf(next))
