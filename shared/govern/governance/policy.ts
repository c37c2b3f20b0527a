// The schemas of a policy. `checks/policy-check.ts` holds the rules between its fields.
import * as z from 'zod'
import { displayName } from '../../base/wire/fields.ts'
import { iso } from '../../base/lib/clock.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { after } from './sequence.ts'
import { conditionProblems } from './conditions/problems.ts'
import type { Cond } from './conditions/condition.ts'
import { effectHint, unknownMember } from './conditions/hints.ts'
import { ALLOW_MAX_S, ALLOW_MIN_S, limit, maybe, orElse, USES_MAX } from './rule-terms.ts'
import type { StoredPolicy } from './stored-rules.ts'

/** Directory groups go by their id or by their name, which may be any text. */
const GROUP = /^(?:any|(?:role|user|key):[A-Za-z0-9._:@-]{1,128}|group:[^\r\n]{1,128})$/

const group = z.string().regex(GROUP, 'must be any, role:…, user:…, group:… or key:…')
const groups = z.array(group).min(1).max(20)
const globs = z
  .array(z.string().min(1).max(256))
  .max(200)
  .nullish()
  .transform((list) => list ?? [])

/** JSON pointers; `grantProblems` says which. */
const pointers = z.array(z.string().max(256)).max(20)

/**
 * Who must approve. Stages run in order. Mode `any` counts the approvals of all groups together, `each` counts them for each
 * group.
 */
const stage = z.strictObject({
  groups: groups.describe('Who may decide: roles, groups of the directory, people or keys.'),
  min_approvals: orElse(z.int().min(1).max(10), 1).describe('The number of approvals that are needed.'),
  mode: orElse(z.enum(['any', 'each']), 'any').describe(
    '`any`: the number of approvals from all groups together; `each`: the number from each group.',
  ),
})

const approval = z.strictObject({
  stages: z.array(stage).min(1).max(10).describe('The groups that must agree, one stage after the other.'),
  expires_in_s: maybe(z.int().min(60).max(604_800)).describe('Seconds after which an undecided request expires.'),
  escalate_after_s: maybe(z.int().min(60).max(604_800)).describe(
    'Seconds after which an undecided request is escalated.',
  ),
  escalate_to: maybe(groups).describe('Groups that may also decide after the escalation.'),
  allow_self: maybe(z.boolean()).describe('Whether the requester may decide.'),
  /** The approver may allow the same action for a while, with the same payload but for the members that are named. */
  grant: maybe(
    z.strictObject({
      max_s: z.int().min(ALLOW_MIN_S).max(ALLOW_MAX_S).describe('The longest time of a grant, in seconds.'),
      max_uses: z.int().min(1).max(USES_MAX).describe('How often the action may run under one grant.'),
      free: maybe(pointers).describe(
        'JSON pointers of members of the payload that may differ. A value with a program, a link, a recipient, an amount or a target is pinned all the same.',
      ),
      at_most: maybe(pointers).describe(
        'JSON pointers of numbers, such as an amount, that may be smaller than the approved ones.',
      ),
    }),
  ).describe('What approvers may allow for a while. Without it each action needs an approval.'),
})

/** Stored in UTC. What is no time is refused as it is. */
const instant = z.iso.datetime({ offset: true }).overwrite((time) => {
  const at = Date.parse(time)
  return Number.isNaN(at) ? time : iso(at)
})

const EVERYWHERE = {}

/** Each list holds globs; an empty list matches everything. */
const scope = z.strictObject({
  node_ids: globs.describe('Nodes by id. `*` matches any characters within one part of the id, `**` matches anything.'),
  categories: globs.describe('Categories of nodes. `*` matches any characters within one part, `**` matches anything.'),
  action_ids: globs.describe(
    'Actions by id. `*` matches any characters within one part of the id, `**` matches anything.',
  ),
  action_kinds: globs.describe('Kinds of actions.'),
  agents: globs.describe('Agents by id. `*` matches any characters within one part of the id, `**` matches anything.'),
  listing_tiers: globs.describe('Listing tiers of nodes.'),
})

/** The document describes it by the tables of facts and operators. */
export const Condition = z.custom<Cond>().check(({ value, issues }) => {
  for (const problem of conditionProblems(value))
    issues.push({ code: 'custom', input: value, continue: true, ...problem })
})

const EFFECTS = ['forbid', 'require_approval', 'min_tier', 'require_undo', 'relax_to'] as const

/** The members of a policy without its identity. */
const content = {
  name: displayName(120).describe('A name for people.'),
  enabled: orElse(z.boolean(), true).describe('Whether it is in force.'),
  mode: orElse(z.enum(['enforce', 'shadow']), 'enforce').describe('`shadow` only reports what the policy would do.'),
  priority: orElse(z.int().min(0).max(10_000), 100).describe('The priority.'),
  severity: orElse(z.enum(['low', 'medium', 'high', 'critical']), 'medium').describe('The severity.'),
  scope: maybe(scope)
    .transform((given) => given ?? scope.parse(EVERYWHERE))
    .describe('Where the policy applies. An empty list: everywhere.'),
  effect: z.enum(EFFECTS, { error: ({ input }) => effectHint(input) }).describe('What the policy does when it fires.'),
  tier: maybe(z.enum(['AUTO', 'SOFT', 'HARD'])).describe(
    'AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.',
  ),
  approval: maybe(approval).describe('The approval that the action waits for, or the approval rule of the policy.'),
  when: maybe(Condition).describe('The condition. Without a condition the policy always fires.'),
  unless: maybe(Condition).describe('The policy does not fire when this condition is true.'),
  /** Actions that scope and conditions select are counted, and the policy fires only beyond the limit. */
  limit: maybe(limit).describe('How much may happen in a sliding window before the policy fires.'),
  after: maybe(after).describe('The policy fires only for a while after an earlier action of the same actor.'),
  message: maybe(z.string().max(500)).describe('A message for people.'),
  valid_from: maybe(instant).describe('From this time on the policy is in force. Before, it is not evaluated.'),
  expires_at: maybe(instant).describe('From this time on the policy is no longer in force.'),
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
  {
    policy_id: maybe(policyId).describe('Id of the policy.'),
    version: maybe(z.int().min(1)).describe('The version that you want to change. Any other version is answered 409.'),
    ...content,
  },
  strict,
)
export type PolicyBody = z.output<typeof PolicyBody>

/** One stored version of a policy. */
export const Policy = z.strictObject({
  policy_id: policyId.describe('Id of the policy.'),
  version: z
    .int()
    .min(1)
    .describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
  ...content,
  counts_since: z
    .int()
    .min(1)
    .optional()
    .describe('The version that the count of its limit began with; absent: the first.'),
})
export type Policy = z.output<typeof Policy>

export const policyOf = ({ body }: Pick<StoredPolicy, 'body'>): Policy => Policy.parse(JSON.parse(body))

export type ApprovalRule = z.output<typeof approval>
