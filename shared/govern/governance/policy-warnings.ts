// Warns the author of a policy about effects that are allowed but perhaps not intended.
import { isCredentialId } from '../../base/lib/ids.ts'
import { isLeaf, type Leaf, leavesOf } from './conditions.ts'
import { factRow } from './fact-list.ts'
import type { Op } from './operators.ts'
import type { PolicyBody } from './policy.ts'

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
