// The schemas of a policy. policy-check.ts holds the rules between its fields.
import * as z from 'zod'
import { displayName } from '../../base/wire/fields.ts'
import { iso } from '../../base/lib/clock.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { after } from './after.ts'
import { conditionProblems } from './condition-problems.ts'
import type { Cond } from './conditions.ts'
import { effectHint, unknownMember } from './hints.ts'
import { ALLOW_MAX_S, ALLOW_MIN_S, USES_MAX } from './grant.ts'
import { limit } from './limit.ts'
import { maybe, orElse } from './maybe.ts'
import type { StoredPolicy } from './stored-policy.ts'

/** Directory groups go by their id or by their name, which may be any text. */
const GROUP = /^(?:any|(?:role|user|key):[A-Za-z0-9._:@-]{1,128}|group:[^\r\n]{1,128})$/

const group = z.string().regex(GROUP, 'must be any, role:…, user:…, group:… or key:…')
const groups = z.array(group).min(1).max(20)
const globs = z
  .array(z.string().min(1).max(256))
  .max(200)
  .nullish()
  .transform((list) => list ?? [])

/** JSON pointers; grant-problems.ts says which. */
const pointers = z.array(z.string().max(256)).max(20)

/**
 * Who must approve. Stages run in order. Mode `any` counts the approvals of all groups together, `each` counts them for each
 * group.
 */
const stage = z.strictObject({
  groups,
  min_approvals: orElse(z.int().min(1).max(10), 1),
  mode: orElse(z.enum(['any', 'each']), 'any'),
})

const approval = z.strictObject({
  stages: z.array(stage).min(1).max(10),
  expires_in_s: maybe(z.int().min(60).max(604_800)),
  escalate_after_s: maybe(z.int().min(60).max(604_800)),
  escalate_to: maybe(groups),
  allow_self: maybe(z.boolean()),
  /** The approver may allow the same action for a while, with the same payload but for the members that are named. */
  grant: maybe(
    z.strictObject({
      max_s: z.int().min(ALLOW_MIN_S).max(ALLOW_MAX_S),
      max_uses: z.int().min(1).max(USES_MAX),
      free: maybe(pointers),
      at_most: maybe(pointers),
    }),
  ),
})

/** Stored in UTC. What is no time is refused as it is. */
const instant = z.iso.datetime({ offset: true }).overwrite((time) => {
  const at = Date.parse(time)
  return Number.isNaN(at) ? time : iso(at)
})

const EVERYWHERE = {}

/** Each list holds globs; an empty list matches everything. */
const scope = z.strictObject({
  node_ids: globs,
  categories: globs,
  action_ids: globs,
  action_kinds: globs,
  agents: globs,
  listing_tiers: globs,
})

/** The document describes it by the tables of facts and operators. */
export const Condition = z.custom<Cond>().check(({ value, issues }) => {
  for (const problem of conditionProblems(value))
    issues.push({ code: 'custom', input: value, continue: true, ...problem })
})

const EFFECTS = ['forbid', 'require_approval', 'min_tier', 'require_undo', 'relax_to'] as const

/** The members of a policy without its identity. */
const content = {
  name: displayName(120),
  enabled: orElse(z.boolean(), true),
  mode: orElse(z.enum(['enforce', 'shadow']), 'enforce'),
  priority: orElse(z.int().min(0).max(10_000), 100),
  severity: orElse(z.enum(['low', 'medium', 'high', 'critical']), 'medium'),
  scope: maybe(scope).transform((given) => given ?? scope.parse(EVERYWHERE)),
  effect: z.enum(EFFECTS, { error: ({ input }) => effectHint(input) }),
  tier: maybe(z.enum(['AUTO', 'SOFT', 'HARD'])),
  approval: maybe(approval),
  when: maybe(Condition),
  unless: maybe(Condition),
  /** What scope and conditions select is counted, and the policy fires only beyond the limit. */
  limit: maybe(limit),
  /** The policy fires only for a while after an earlier action. */
  after: maybe(after),
  message: maybe(z.string().max(500)),
  valid_from: maybe(instant),
  expires_at: maybe(instant),
}

const policyId = z.string().regex(idPattern('pol'), 'must be the id of a policy')

/** Says of a member of another language of rules what it is called here. */
const strict = {
  error: (issue: z.core.$ZodRawIssue) => {
    const [name, ...others] = issue.code === 'unrecognized_keys' ? issue.keys : []
    return name !== undefined && others.length === 0 ? unknownMember(name) : undefined
  },
}

/** The body of a POST. Without `policy_id` it creates a policy; with it and the current `version` it makes the next version. */
export const PolicyBody = z.strictObject(
  { policy_id: maybe(policyId), version: maybe(z.int().min(1)), ...content },
  strict,
)
export type PolicyBody = z.output<typeof PolicyBody>

/** One stored version of a policy. */
export const Policy = z.strictObject({
  policy_id: policyId,
  version: z.int().min(1),
  ...content,
  /** The version that the count of its limit began with, where that is not the first. */
  counts_since: z.int().min(1).optional(),
})
export type Policy = z.output<typeof Policy>

export const policyOf = ({ body }: Pick<StoredPolicy, 'body'>): Policy => Policy.parse(JSON.parse(body))

export type ApprovalRule = z.output<typeof approval>
