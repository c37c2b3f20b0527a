// The approval of a held action. It binds the exact action by its digest and is used once.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { Sla } from '../../base/sla/sla.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import { StoredReached } from '../limits/reached.ts'
import { nextSlaLook } from './sla.ts'
import { APPROVAL_STATUSES } from './states.ts'

const Actor = z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() })

/** Stages run in order. `any` needs `min_approvals` people of all groups together, `each` needs as many of every group. */
export const Stage = z.object({
  groups: z.array(z.string()).min(1),
  min_approvals: z.int().min(1).max(10),
  mode: z.enum(['any', 'each']),
  status: z.enum(['waiting', 'open', 'done']),
})
export type Stage = z.output<typeof Stage>

export const Vote = z.object({
  by: Actor,
  /** The people behind the credential of the vote, so that nobody votes twice with another credential. */
  persons: z.array(z.string()),
  /** Groups of the stage that the voter belongs to. */
  groups: z.array(z.string()),
  decision: z.enum(['approve', 'reject']),
  at: z.string(),
  reason: z.string().optional(),
  stage: z.int(),
  /** Does not count: the voter has since left or lost the group or permission, or the vote has no evidence. */
  lapsed: z.literal(true).optional(),
  /** The person who is away, in whose name and with whose groups the vote was given, under this delegation. */
  on_behalf_of: z.string().optional(),
  delegation_id: z.string().optional(),
  /** The voter also requested the action (one-person tenants). */
  self: z.literal(true).optional(),
  /** Requesters who stand behind the voter: the vote counted only because nobody else could decide (decision 0175). */
  raised_by: z.array(z.string()).optional(),
  /** How long the voter allows the same action (s). */
  allow_for_s: z.int().optional(),
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
    request_id: z.string(),
    status: z.enum(APPROVAL_STATUSES),
    /** `sha256:<hex>`; see digest.ts. */
    action_digest: z.string(),
    node_id: z.string(),
    action_id: z.string(),
    /** Of the manifest. */
    version: z.string(),
    /** Method, host and path of the target; see governance/called.ts. */
    target: z.string().optional(),
    tier: z.literal('HARD'),
    kind: z.string(),
    risk: z.number(),
    reasons: z.array(z.string()),
    requested_by: Actor,
    /** The OAuth client through which a person requested it. */
    client_id: z.string().optional(),
    requested_at: z.string(),
    persons: z.array(z.string()),
    agent_id: z.string().optional(),
    /** The credential of the request names the agent; when absent, only the request does. */
    agent_bound: z.literal(true).optional(),
    policy_ids: z.array(z.string()),
    /** The limits that it was beyond; see limits/reached.ts. */
    limits: z.array(StoredReached).optional(),
    policy_set_version: z.string(),
    allow_self: z.boolean(),
    stages: z.array(Stage).min(1),
    /** Index of the open stage. */
    stage: z.int(),
    votes: z.array(Vote),
    expires_at: z.string(),
    /** How often somebody gave it more time. */
    extensions: z.int().optional(),
    escalate_at: z.string().optional(),
    escalate_to: z.array(z.string()).optional(),
    escalated_to: z.array(z.string()).optional(),
    decided_by: Actor.optional(),
    decided_at: z.string().optional(),
    reason: z.string().optional(),
    method: z.enum(['manual', 'api_key', 'policy', 'expired', 'cancelled']).optional(),
    /** When the action ran under this approval, which can be used only once. */
    consumed_at: z.string().optional(),
    superseded_by: z.string().optional(),
    /** The grant that came of it. */
    grant_id: z.string().optional(),
    /** What of its SLA does not follow from votes and decision; see sla.ts. */
    sla: ApprovalSla.optional(),
    /** Of the same requests alike; see repeats.ts. */
    repeat_key: z.string().optional(),
    /** The task made for it. */
    task_id: z.string().optional(),
    /** Hex; see state-of.ts. */
    salt: z.string().optional(),
  }),
)
export type Approval = z.output<typeof Approval>

export const approvals = entity({
  name: 'APPROVAL',
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

/** The earliest of all that it waits for. One that was decided late still has to be dealt with. */
const dueOf = (item: Approval): string | undefined =>
  [...(item.status === 'pending' ? [item.expires_at, item.escalate_at] : []), nextSlaLook(item)]
    .filter((at) => at !== undefined)
    .toSorted()[0]
