// The approval of a held action: its members, its keys, its SLA and its measures. It binds the exact action by its digest and
// is used once.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { answered, ended as endedSla, nextLook, Sla, slaView } from '../../base/sla/sla.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import { StoredReached } from '../limits/reached.ts'
import { APPROVAL_STATUSES } from './states.ts'
import { slaPolicy } from '../../base/sla/policy.ts'
import { ENDS, place, SLA_RESULTS } from '../../base/catalog/measure-words.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import type { Execution } from '../executions/execution.ts'
import { tried } from '../executions/measures.ts'
import { unpackUsed } from '../learned/learned.ts'

const Actor = z.object({
  type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
  id: z.string().describe('Id of the caller.'),
})

/** Stages run in order. `any` needs `min_approvals` people of all groups together, `each` needs as many of every group. */
export const Stage = z.object({
  groups: z.array(z.string()).min(1).describe('Who may decide: roles, groups of the directory, people or keys.'),
  min_approvals: z.int().min(1).max(10).describe('The number of approvals that are needed.'),
  mode: z
    .enum(['any', 'each'])
    .describe('`any`: the number of approvals from all groups together; `each`: the number from each group.'),
  status: z.enum(['waiting', 'open', 'done']).describe('The current state.'),
})
export type Stage = z.output<typeof Stage>

export const Vote = z.object({
  by: Actor.describe('The voter.'),
  /** The people behind the credential of the vote, so that nobody votes twice with another credential. */
  persons: z.array(z.string()),
  /** Groups of the stage that the voter belongs to. */
  groups: z.array(z.string()),
  decision: z.enum(['approve', 'reject']).describe('The decision of the person.'),
  at: z.string().describe('When it happened.'),
  reason: z.string().optional().describe('The reason, for people.'),
  stage: z.int().describe('The stage that the vote counts for.'),
  /** Does not count: the voter has since left or lost the group or permission, or the vote has no evidence. */
  lapsed: z
    .literal(true)
    .optional()
    .describe('Whether the vote no longer counts, because its voter left, was suspended or lost the right to decide.'),
  /** The person who is away, in whose name and with whose groups the vote was given, under this delegation. */
  on_behalf_of: z.string().optional().describe('The person who is away, in whose name the vote was given.'),
  delegation_id: z.string().optional().describe('The delegation under which it was given.'),
  /** The voter also requested the action (one-person tenants). */
  self: z.literal(true).optional().describe('Whether the person voted on their own request.'),
  /** Requesters who could act through the account of the voter: the vote counted only because nobody else could decide (decision 0175). */
  raised_by: z
    .array(z.string())
    .optional()
    .describe(
      'Who could have made the request, and stands behind the account of the voter. The vote counted because nobody else could decide.',
    ),
  /** How long the voter allows the same action (s). */
  allow_for_s: z
    .int()
    .optional()
    .describe('For how long the same action may run again without being asked about, in seconds.'),
})
export type Vote = z.output<typeof Vote>

export const ApprovalSla = Sla.pick({
  policy_id: true,
  first_response_due_at: true,
  resolution_due_at: true,
  consumed_ms: true,
  running_since: true,
  reported: true,
  escalated: true,
})

export const Approval = z.lazy(() =>
  z.object({
    ...resourceMembers,
    request_id: z.string().describe('Id of the request, also in `X-Request-Id`.'),
    status: z.enum(APPROVAL_STATUSES).describe('The current state.'),
    /** `sha256:<hex>`; see hold.ts. */
    action_digest: z
      .string()
      .describe('SHA-256, hex, of the exact bytes of the action. An approval holds only for these bytes.'),
    node_id: z.string().describe('Id of the node.'),
    action_id: z.string().describe('Id of the action in its manifest.'),
    version: z.string().describe('Version of the manifest that the request is about.'),
    /** Method, host and path of the target; see governance/decide/policy-facts.ts. */
    target: z.string().optional().describe('What is called: method, host (`-`: unknown) and path.'),
    tier: z.literal('HARD').describe('AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.'),
    kind: z.string().describe('The kind of the action.'),
    risk: z.number().describe('How risky the action is, from 0 to 100.'),
    reasons: z.array(z.string()).describe('Why the action is held.'),
    requested_by: Actor.describe('The caller that requested it.'),
    /** The OAuth client through which a person requested it. */
    client_id: z.string().optional().describe('Id of the OAuth client.'),
    requested_at: z.string().describe('When it was requested.'),
    persons: z.array(z.string()),
    agent_id: z
      .string()
      .optional()
      .describe('Id of the agent, which is bound to the credential or stated in the request.'),
    /** The credential of the request names the agent; when absent, only the request does. */
    agent_bound: z
      .literal(true)
      .optional()
      .describe('Whether the agent is bound to the credential. An agent that is only stated never loosens a decision.'),
    policy_ids: z.array(z.string()).describe('Ids of the policies that fired.'),
    /** The limits that it was beyond; see limits/reached.ts. */
    limits: z.array(StoredReached).optional(),
    policy_set_version: z.string().describe('The version of the policy set and settings that decided.'),
    allow_self: z.boolean().describe('Whether the requester may decide.'),
    stages: z.array(Stage).min(1).describe('The groups that must agree, one stage after the other.'),
    /** Index of the open stage. */
    stage: z.int().describe('Number of the stage that waits, from 0.'),
    votes: z.array(Vote),
    expires_at: z.string().describe('When it expires.'),
    /** How often somebody gave it more time. */
    extensions: z.int().optional().describe('How often its time was extended; absent: never.'),
    escalate_at: z.string().optional().describe('When an undecided request is escalated.'),
    escalate_to: z.array(z.string()).optional().describe('Groups that may also decide after the escalation.'),
    escalated_to: z.array(z.string()).optional().describe('Groups that may also decide since the escalation.'),
    decided_by: Actor.optional().describe('The caller that decided.'),
    decided_at: z.string().optional().describe('When it was decided.'),
    reason: z.string().optional().describe('The reason, for people.'),
    method: z
      .enum(['manual', 'api_key', 'policy', 'expired', 'cancelled'])
      .optional()
      .describe('Whether a person or the service decided.'),
    /** When the action ran under this approval, which can be used only once. */
    consumed_at: z.string().optional().describe('When the approved action started. An approval is used once.'),
    superseded_by: z.string().optional().describe('Id of the request that replaced it, because the action changed.'),
    /** The grant that a vote on it gave. */
    grant_id: z.string().optional().describe('The grant that lets the same action run without an approval of its own.'),
    /** The part of its SLA that does not follow from votes and decision; see slaOf. */
    sla: ApprovalSla.optional(),
    /** Equal requests have the same key; see repeats.ts. */
    repeat_key: z.string().optional(),
    /** The task made for it. */
    task_id: z.string().optional().describe('Id of the task.'),
    /** Hex; see state-of.ts. */
    salt: z.string().optional(),
  }),
)
export type Approval = z.output<typeof Approval>

export const approvals = entity({
  name: 'APPROVAL',
  unbound: 'proven by artifacts',
  schema: Approval,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'APPROVAL', of.id), sk: 'APPROVAL' }),
  index: (item) => ({
    gsi1pk: statusPartition(item, item.status),
    gsi1sk: key(item.requested_at, item.id),
    ...dueAt(dueOf(item), item.id),
    ...(item.status === 'pending' && {
      gsi3pk: openPartition(item, item.requested_by.id),
      gsi3sk: item.id,
    }),
    ...(item.repeat_key !== undefined && {
      gsi4pk: repeatPartition(item, item.repeat_key),
      gsi4sk: key(item.requested_at, item.id),
    }),
  }),
})

export const statusPartition = (space: Space, status: string): string => spaceKey(space, 'APPROVALS', status)

/** Pending approvals of one requester, which flood.ts counts. */
export const openPartition = (space: Space, requester: string): string => spaceKey(space, 'OPEN', requester)

/** Equal requests, which repeats.ts looks for. */
export const repeatPartition = (space: Space, repeat_key: string): string => spaceKey(space, 'REPEAT', repeat_key)

/** The earliest time at which something is due. The SLA of an approval that was decided late still has to be reported. */
const dueOf = (item: Approval): string | undefined =>
  [...(item.status === 'pending' ? [item.expires_at, item.escalate_at] : []), nextSlaLook(item)]
    .filter((at) => at !== undefined)
    .toSorted()[0]

/**
 * The SLA as it was after the last vote or decision. Votes and decision show who answered and when, so only the rest is stored; a
 * missed target has an artifact of its own. Undefined for an approval from before there were SLAs.
 */
export function slaOf({ sla, votes, status, decided_at, superseded_by }: Approval): Sla | undefined {
  if (!sla) return undefined
  const started: Sla = { ...sla, status: 'active', breaches: sla.reported }
  const [first] = votes
  const voted = first ? answered(started, Date.parse(first.at)) : started
  if (status === 'pending') return voted
  const dropped = status === 'cancelled' || superseded_by !== undefined
  const end = decided_at ?? votes.at(-1)?.at ?? sla.running_since ?? ''
  return endedSla(voted, slaPolicy(sla.policy_id), Date.parse(end), dropped ? 'dropped' : 'done')
}

/** When the sweeper has to look at it for its SLA. */
function nextSlaLook(approval: Approval): string | undefined {
  const sla = slaOf(approval)
  const last = approval.decided_at ?? approval.votes.at(-1)?.at ?? approval.requested_at
  return sla && nextLook(sla, slaPolicy(sla.policy_id), Date.parse(last))
}

export type ApprovalSlaView = ReturnType<typeof slaView>

export function approvalSlaView(approval: Approval, now: number): ApprovalSlaView | undefined {
  const sla = slaOf(approval)
  return sla && slaView(sla, now)
}

/** Counted when somebody is asked for an approval. */
export const ASKED: Measure = ['a']

/**
 * For a decision of people: whether each model that judged the action agrees with them. Only for an action that was held without
 * regard to the model, because otherwise the model would choose the cases by which it is measured.
 */
export function judged(execution: Pick<Execution, 'learned'>, approved: boolean): Measure[] {
  const { model, held_anyway, test } = unpackUsed(execution.learned)
  if (!model || model.score === null || !held_anyway) return []
  const agrees = (score: number) => (score >= 0.5 === approved ? 1 : 0)
  const own = agrees(model.score)
  return [
    ['q', model.slot, model.version, own],
    ...(test ? [['x', test.id, own, agrees(test.score)] satisfies Measure] : []),
    ...tried(execution, ['agreement', 1, own], ['approval_rate', 1, approved ? 1 : 0]),
  ]
}

/** Counted when an approval reaches its last state; `now` (ms) is the moment of its end. */
export function ended(approval: Approval, how: (typeof ENDS)[number], now: number): Measure {
  const seconds = Math.max(0, Math.floor((now - Date.parse(approval.requested_at)) / 1_000))
  return [
    'e',
    place(ENDS, how),
    seconds,
    Math.max(
      0,
      SLA_RESULTS.findIndex((result) => result === slaOf(approval)?.status),
    ),
  ]
}
