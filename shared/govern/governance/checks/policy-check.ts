// Checks the rules between the fields of a policy before it is stored, and collects warnings for its author.
import { canonicalJson, type Json } from '../../../base/lib/json.ts'
import type { Violation } from '../../../base/lib/failure.ts'
import { afterProblems, afterWarnings, tooManyAfter } from '../sequence.ts'
import { leavesOf, type Problem, sizeOf } from '../conditions/condition.ts'
import { contradictionsIn, neverFires } from './never-fires.ts'
import { type ConcerningSettings, limitProblems, policyWarnings, settingsWarnings, tooManyLimits } from './warnings.ts'
import type { Policy, PolicyBody } from '../policy.ts'
import { timeProblems, type Times, timeWarnings } from './hours-problems.ts'
import { type Registered, unmatchedWarnings } from './unmatched.ts'
import { KIND_NAMES } from '../../../base/catalog/kinds.ts'
import type { Role } from '../payload/fields.ts'
import { scopeMatches } from '../conditions/glob.ts'
import { type GrantRule, needsApprovalEach } from '../rule-terms.ts'
import { walk } from '../payload/members.ts'
import { namedSteps } from '../conditions/pointer.ts'

const BYTES_MAX = 4096
const NODES_MAX = 64
export const POLICIES_MAX = 200

export type Surroundings = Times & {
  /** The other policies of the tenant and mode. */
  existing: readonly Policy[]
  /** Why a group of approvers cannot be used. When absent, every well-formed group is accepted. */
  groupProblem?: ((group: string) => string | undefined) | undefined
  /** How many people could approve for the groups. When absent, there are no warnings about it. */
  eligible?: ((groups: readonly string[]) => number) | undefined
  /** What the tenant has registered. When absent, there are no warnings about it. */
  registered?: Registered | undefined
  /** The settings of the tenant. When absent, there are no warnings about them. */
  settings?: ConcerningSettings | undefined
}

export type PolicyCheck = {
  violations: Violation[]
  warnings: string[]
  /** Why the policy conflicts with an existing one (409). */
  conflict?: string
}

/**
 * Checks a policy before it is stored. `violations` refuse it (422), `conflict` refuses it because of another policy (409), and warnings
 * refuse nothing. Stores nothing.
 */
export function checkPolicy(body: PolicyBody, surroundings: Surroundings): PolicyCheck {
  const problems = [
    ...fieldProblems(body),
    ...sizeProblems(body),
    ...relaxProblems(body),
    ...limitProblems(body),
    ...afterProblems(body),
    ...grantProblems(body),
    ...groupProblems(body, surroundings),
    ...timeProblems(body, surroundings),
    ...neverFires(body),
  ]
  for (const key of ['when', 'unless'] as const) problems.push(...contradictionsIn(body[key], [key]))
  const conflict = conflictOf(body, surroundings)
  return {
    violations: problems.map(({ path, message }) => ({ loc: ['body', ...path], msg: message, type: 'value_error' })),
    warnings: [
      ...policyWarnings(body, surroundings.eligible),
      ...unmatchedWarnings(body, surroundings.registered ?? {}),
      ...timeWarnings(body, surroundings),
      ...afterWarnings(body),
      ...(surroundings.settings ? settingsWarnings(body, surroundings.settings) : []),
    ],
    ...(conflict && { conflict }),
  }
}

const TIERS_OF: Partial<Record<PolicyBody['effect'], readonly string[]>> = {
  min_tier: ['SOFT', 'HARD'],
  relax_to: ['AUTO', 'SOFT'],
}

function* fieldProblems({ effect, tier, approval }: PolicyBody): Generator<Problem> {
  const tiers = TIERS_OF[effect]
  if (tiers && (tier === undefined || !tiers.includes(tier))) {
    yield { path: ['tier'], message: `must be ${tiers.join(' or ')} with effect ${effect}` }
  }
  if (!tiers && tier !== undefined) yield { path: ['tier'], message: 'goes with the effects min_tier and relax_to' }
  if (approval && effect !== 'require_approval')
    yield { path: ['approval'], message: 'goes with the effect require_approval' }
  if (approval?.escalate_after_s && !approval.escalate_to) {
    yield { path: ['approval', 'escalate_to'], message: 'must name the groups to escalate to' }
  }
}

function* sizeProblems(body: PolicyBody): Generator<Problem> {
  if (Buffer.byteLength(canonicalJson(body)) > BYTES_MAX)
    yield { path: [], message: `must not exceed ${BYTES_MAX} bytes` }
  if (sizeOf(body.when) + sizeOf(body.unless) > NODES_MAX) {
    yield { path: ['when'], message: `conditions must not hold more than ${NODES_MAX} nodes` }
  }
}

/** A policy that loosens needs a condition. A caller must not satisfy it by declaring or omitting something. */
function* relaxProblems({ effect, when, unless }: PolicyBody): Generator<Problem> {
  if (effect !== 'relax_to') return
  if (!when) yield { path: ['when'], message: 'is required with effect relax_to' }
  for (const { leaf, path } of [...leavesOf(when, ['when']), ...leavesOf(unless, ['unless'])]) {
    if (leaf.field.startsWith('context.')) {
      yield { path: [...path, 'field'], message: 'relax_to may not read context, which the caller declares' }
    }
    if (leaf.op === 'exists') yield { path: [...path, 'op'], message: 'relax_to may not use exists' }
  }
}

function* groupProblems({ approval }: PolicyBody, { groupProblem }: Surroundings): Generator<Problem> {
  const places = [
    ...(approval?.stages ?? []).map(({ groups }, i) => ({ groups, path: ['approval', 'stages', i, 'groups'] })),
    { groups: approval?.escalate_to ?? [], path: ['approval', 'escalate_to'] },
  ]
  for (const { groups, path } of places) {
    for (const [i, group] of groups.entries()) {
      const message = groupProblem?.(group)
      if (message) yield { path: [...path, i], message }
    }
  }
}

function conflictOf(body: PolicyBody, { existing }: Surroundings): string | undefined {
  const others = existing.filter(({ policy_id }) => policy_id !== body.policy_id)
  if (!body.policy_id && existing.length >= POLICIES_MAX)
    return `You have ${POLICIES_MAX} policies, which is the limit. Change one of them instead.`
  const namesake = others.find(({ name }) => name === body.name)
  if (namesake) return `Policy ${namesake.policy_id} has the same name. Choose another one.`
  const rule = ruleOf(body)
  const twin = others.find((other) => other.enabled && ruleOf(other) === rule)
  if (twin) return `Policy ${twin.policy_id} already has the same rule. Change that one instead.`
  return tooManyLimits(body, others) ?? tooManyAfter(body, others)
}

/** The canonical JSON of a policy without its identity. */
function ruleOf(policy: PolicyBody | Policy): string {
  const { policy_id: _id, version: _version, name: _name, ...rule } = policy
  return canonicalJson({ ...rule, counts_since: undefined })
}

/**
 * What is wrong with the member `grant` of an approval rule. A member whose name says what is done, to what, to whom or for how much
 * is always pinned, so a policy that names it as free would not do what its author expects.
 */
export function* grantProblems({ approval, scope: { action_kinds } }: PolicyBody): Generator<Problem> {
  if (!approval?.grant) return
  const kinds = KIND_NAMES.filter((kind) => action_kinds.length > 0 && scopeMatches(action_kinds, kind))
  if (kinds.length > 0 && kinds.every(needsApprovalEach))
    yield { path: ['approval', 'grant'], message: 'the kinds of the scope need an approval each time' }
  yield* memberProblems(approval.grant)
}

const LISTS = ['free', 'at_most'] as const
type List = (typeof LISTS)[number]

function* memberProblems(grant: Partial<GrantRule>): Generator<Problem> {
  const named = LISTS.flatMap((list) => (grant[list] ?? []).map((pointer, i) => ({ list, pointer, i })))
  for (const one of named) {
    const { list, pointer, i } = one
    const around = named.find((other) => other !== one && isAtOrBelow(pointer, other.pointer))
    const message = pointerProblem(pointer, list) ?? (around && `is named already by ${around.pointer}`)
    if (message) yield { path: ['approval', 'grant', list, i], message }
  }
}

const isAtOrBelow = (pointer: string, other: string) => pointer === other || pointer.startsWith(`${other}/`)

function pointerProblem(pointer: string, list: List): string | undefined {
  const steps = namedSteps(pointer)
  if (!steps) return 'must be a JSON pointer to a member of objects, such as /note or /order/note'
  const role = roleAt(steps)
  if (role === undefined || (role === 'amount' && list === 'at_most')) return undefined
  const instead = role === 'amount' ? 'at_most may name it' : 'its value is always the approved one'
  return `is ${SAID[role] ?? 'part of a program'} by its name; ${instead}`
}

const SAID: Partial<Record<Role, string>> = {
  recipient: 'a recipient',
  contact: 'a recipient',
  phone: 'a recipient',
  amount: 'an amount',
  currency: 'the currency of an amount',
  target: 'a target',
  method: 'the method of a request',
}

/** The role that the names on the way give the member. */
const roleAt = (steps: readonly string[]): Role | undefined =>
  walk(steps.reduceRight<Json>((value, step) => ({ [step]: value }), '')).at(-1)?.role
