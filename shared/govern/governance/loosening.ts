// Which members of a change may let pass what was held or refused before, or let other people decide. Pure and conservative: what is
// not proven to be at least as strict counts as loosening. The names are those of the API.
import { isStricter, KINDS, type Kind } from '../../base/catalog/kinds.ts'
import { isAtLeast, leavesOf } from './conditions/condition.ts'
import type { ActiveFreeze } from './freeze.ts'
import { globMatches } from './conditions/glob.ts'
import { calendarsOf } from './conditions/hours.ts'
import type { LexiconWords } from './stored-rules.ts'
import type { ApprovalRule, Policy } from './policy.ts'
import { hoursIn } from './checks/hours-problems.ts'
import { type GovernanceSettings, PII_MODES } from './settings.ts'

type Named = readonly [member: string, loosens: boolean][]
const namesOf = (members: Named): string[] => members.flatMap(([member, loosens]) => (loosens ? [member] : []))

/** A longer time to decide is no loosening: silence never approves, and an action is judged again when it is decided on. */
export function looseningOfSettings(was: GovernanceSettings, next: GovernanceSettings): string[] {
  return namesOf([
    ['unknown_tier', isStricter(was.unknown_tier, next.unknown_tier)],
    ['allow_self_approval', next.allow_self_approval && !was.allow_self_approval],
    ['require_human_approver', demand(next.require_human_approver) < demand(was.require_human_approver)],
    ['trust_floor', next.trust_floor < was.trust_floor],
    ['amount_cap', (next.amount_cap ?? Infinity) > (was.amount_cap ?? Infinity)],
    ['bulk_limit', next.bulk_limit > was.bulk_limit],
    ['max_open_approvals', next.max_open_approvals > was.max_open_approvals],
    ['answer_repeats', was.answer_repeats && !next.answer_repeats],
    ['pii_mode', PII_MODES.indexOf(next.pii_mode) < PII_MODES.indexOf(was.pii_mode)],
    ['raise_below', next.raise_below < was.raise_below],
    ['domains', next.domains.some((domain) => !was.domains.includes(domain))],
  ])
}

/** How much is demanded of people: of none, by default, or for all decisions. */
const demand = (required: boolean | null | undefined): number => (required === true ? 2 : required === false ? 0 : 1)

/** Of a policy; `was` is absent for a new one. */
export function looseningOfPolicy(was: Policy | undefined, next: Policy): string[] {
  const [before, after] = [was && inForce(was), inForce(next)]
  if (after?.effect === 'relax_to') return before?.effect === 'relax_to' ? widened(before, after) : ['effect']
  if (!before || before.effect === 'relax_to') return opened(undefined, after?.approval)
  if (!after) return [next.enabled ? 'mode' : 'enabled']
  return weakened(before, after)
}

const inForce = (policy: Policy): Policy | undefined =>
  policy.enabled && policy.mode === 'enforce' ? policy : undefined

/** Of one that relaxes, and did so before. */
const widened = (was: Policy, next: Policy): string[] =>
  namesOf([
    ['tier', isStricter(was.tier ?? 'AUTO', next.tier ?? 'AUTO')],
    ...narrowed(next, was), // it may only apply to less
  ])

/** Of one that restricts, and did so before. */
function weakened(was: Policy, next: Policy): string[] {
  const both = was.effect === 'require_approval' && next.effect === 'require_approval'
  const members = namesOf([['effect', !isAsStrong(next, was)], ...narrowed(was, next)])
  if (!both) return [...members, ...opened(undefined, next.approval)]
  // Where it acts on more, what it opens is opened for more.
  const before = namesOf(narrowed(next, was)).length > 0 ? undefined : was.approval
  return [...members, ...fewer(was.approval, next.approval), ...opened(before, next.approval)]
}

const STRENGTH = { forbid: 4, require_approval: 3, min_tier: 1, require_undo: 1, relax_to: 0 } as const
const strengthOf = ({ effect, tier }: Policy): number =>
  effect === 'min_tier' && tier !== 'SOFT' ? 2 : STRENGTH[effect]

/** SOFT by a tier and by a missing undo cannot be compared. */
const isAsStrong = (next: Policy, was: Policy): boolean =>
  strengthOf(next) > strengthOf(was) || (next.effect === was.effect && strengthOf(next) === strengthOf(was))

/** Which members may keep the second from acting where the first acts. */
const narrowed = (wide: Policy, other: Policy): Named => [
  ['scope', !coversScope(other.scope, wide.scope)],
  ['when', !isAtLeast(other.when, wide.when)],
  ['unless', other.unless !== undefined && !isUnlessWithin(other.unless, wide.unless)],
  ['limit', !isLimitWithin(other, wide)],
  ['after', other.after !== undefined && !isSame(other.after, wide.after)],
  ['valid_from', timeOf(other.valid_from, -Infinity) > timeOf(wide.valid_from, -Infinity)],
  ['expires_at', timeOf(other.expires_at, Infinity) < timeOf(wide.expires_at, Infinity)],
]

const isUnlessWithin = (inner: NonNullable<Policy['unless']>, outer: Policy['unless']): boolean =>
  outer !== undefined && isAtLeast(outer, inner)

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const timeOf = (time: string | undefined, otherwise: number): number =>
  time === undefined ? otherwise : Date.parse(time)

/** A limit is as strict if only its figure is lower, and its count goes on. */
const isLimitWithin = ({ limit, counts_since }: Policy, was: Policy): boolean =>
  limit === undefined ||
  (was.limit !== undefined &&
    limit.max <= was.limit.max &&
    isSame({ ...limit, max: 0 }, { ...was.limit, max: 0 }) &&
    counts_since === was.counts_since)

/** Agents are compared by spelling alone, because the id of a credential means itself only. */
function coversScope(wide: Policy['scope'], narrow: Policy['scope']): boolean {
  const { agents, ...lists } = wide
  const names = Object.keys(lists) as (keyof typeof lists)[]
  return (
    covers(agents, narrow.agents, (glob, one) => glob === one) &&
    names.every((name) => covers(wide[name], narrow[name], (glob, one) => glob === one || matchesName(glob, one)))
  )
}

const covers = (
  wide: readonly string[],
  narrow: readonly string[],
  matches: (glob: string, one: string) => boolean,
): boolean => wide.length === 0 || (narrow.length > 0 && narrow.every((one) => wide.some((glob) => matches(glob, one))))

const matchesName = (glob: string, one: string): boolean => !one.includes('*') && globMatches(glob, one)

const ANYBODY: ApprovalRule['stages'] = [{ groups: ['any'], min_approvals: 1, mode: 'any' }]
const groupsOf = ({ groups }: ApprovalRule['stages'][number]) => [...new Set(groups)].toSorted().join(' ')

/**
 * Whether a policy asks for fewer people, or for other ones. Stages with other groups count as loosening even where the groups are
 * fewer, because stages of several policies with the same groups become one.
 */
function fewer(was: ApprovalRule | undefined, next: ApprovalRule | undefined): string[] {
  const stages = next?.stages ?? ANYBODY
  const isKept = (asked: ApprovalRule['stages'][number]) =>
    stages.some(
      (stage) =>
        groupsOf(stage) === groupsOf(asked) &&
        stage.min_approvals >= asked.min_approvals &&
        (stage.mode === 'each' || asked.mode === 'any'),
    )
  return namesOf([
    ['approval.stages', !(was?.stages ?? ANYBODY).every(isKept)],
    ['approval.allow_self', was?.allow_self === false && next?.allow_self !== false],
  ])
}

/** Further approvers after a while, and grants: they also change what other policies ask for. */
function opened(was: ApprovalRule | undefined, next: ApprovalRule | undefined): string[] {
  const { grant, escalate_to = [], escalate_after_s: after = Infinity } = next ?? {}
  return namesOf([
    ['approval.grant', grant !== undefined && !isGrantWithin(grant, was?.grant)],
    ['approval.escalate_to', escalate_to.some((group) => !was?.escalate_to?.includes(group))],
    ['approval.escalate_after_s', after < (was?.escalate_after_s ?? Infinity)],
  ])
}

type Grant = NonNullable<ApprovalRule['grant']>

/** Whether a grant serves no more requests than another one would: a bound member is within a free one, and not the reverse. */
function isGrantWithin(next: Grant, was: Grant | undefined): boolean {
  if (!was || next.max_s > was.max_s || next.max_uses > was.max_uses) return false
  const { free = [], at_most = [] } = was
  return (
    (next.free ?? []).every((member) => free.includes(member)) &&
    (next.at_most ?? []).every((member) => free.includes(member) || at_most.includes(member))
  )
}

/** Of a calendar whose dates change: both more and fewer dates may excuse. */
export const looseningOfCalendar = (name: string, policies: readonly Policy[]): string[] =>
  policies.some((policy) => inForce(policy) && hoursIn(policy).some(({ hours }) => calendarsOf(hours).includes(name)))
    ? ['dates']
    : []

type InForce = { policies: readonly Policy[]; freezes: readonly ActiveFreeze[] }

/**
 * Of the tenant's own words. A word may be added for a kind that is always held, and one removed that only explains, unless a policy
 * or a freeze goes by what an action is: then a stricter kind may take the action out of it.
 */
export function looseningOfLexicon(was: LexiconWords, next: LexiconWords, { policies, freezes }: InForce): string[] {
  const [before, after] = [wordsIn(was), wordsIn(next)]
  const added = [...after].filter(([word, kind]) => before.get(word) !== kind)
  const removed = [...before].filter(([word, kind]) => after.get(word) !== kind)
  const isStricterOnly =
    added.every(([, kind]) => KINDS[kindOf(kind)].classFloor === 'HARD') &&
    removed.every(([, kind]) => KINDS[kindOf(kind)].tier === 'AUTO')
  const isNothing = added.length === 0 && removed.length === 0
  const byKind = policies.some(goesByKind) || freezes.some(({ scope }) => scope.action_kinds !== undefined)
  return isNothing || (isStricterOnly && !byKind) ? [] : ['words']
}

/** Each word with its list and kind. */
function wordsIn({ verbs, nouns, read_nouns }: LexiconWords): Map<string, string> {
  const listed = (list: string, table: LexiconWords['verbs']) =>
    Object.entries(table).flatMap(([kind, words]) => words.map((word) => [word, `${list} ${kind}`] as const))
  return new Map([
    ...listed('verbs', verbs),
    ...listed('nouns', nouns),
    ...read_nouns.map((word) => [word, 'read_nouns read'] as const),
  ])
}

const kindOf = (listed: string): Kind => listed.split(' ')[1] as Kind

const KIND_FACTS = ['action.kind', 'action.base_tier', 'action.risk', 'action.confidence']

const goesByKind = (policy: Policy): boolean =>
  inForce(policy) !== undefined &&
  (policy.scope.action_kinds.length > 0 ||
    policy.after !== undefined ||
    policy.limit !== undefined ||
    [...leavesOf(policy.when), ...leavesOf(policy.unless)].some(({ leaf }) => KIND_FACTS.includes(leaf.field)))
