// A routing update: a change of the tier that an action starts at, of the threshold of the model that judges it, or of the model
// in a slot. It has no effect before people have approved it and somebody who did not propose it has applied it.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { lifecycle } from '../../ledger/evidence/artifact/lifecycle.ts'
import { iso } from '../../base/lib/clock.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { type RoutingRule, ruleDigest } from '../../govern/governance/stored-rules.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import type { States } from '../../base/lib/states.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { canonicalJson, given } from '../../base/lib/json.ts'

export const UPDATE_STATUSES = [
  'proposed',
  'approved',
  'rejected',
  'expired',
  'applied',
  'superseded',
  'reverted',
  'suspended',
  'lapsed',
] as const
export type UpdateStatus = (typeof UPDATE_STATUSES)[number]

const UPDATE_STATES: States<UpdateStatus> = {
  proposed: ['approved', 'rejected', 'expired'],
  approved: ['applied', 'expired'],
  applied: ['superseded', 'reverted', 'suspended', 'lapsed'],
  rejected: [],
  expired: [],
  superseded: [],
  reverted: [],
  suspended: [],
  lapsed: [],
}

/** Waits for people; there is at most one of a target. */
export const isOpen = ({ status }: { status: UpdateStatus }): boolean => status === 'proposed' || status === 'approved'

export const UPDATE_TYPES = ['tier_change', 'threshold_change', 'model_change'] as const
export const UPDATE_SOURCES = ['learning', 'human', 'ab_test'] as const

const Actor = z.object({
  type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of credential it was.'),
  id: z.string().describe('The id, which never changes.'),
})
/** A tier, the id of a model, or a threshold; null: nothing was set. */
export const Value = z.union([z.string(), z.number()]).nullable()

/** The grounds of a proposal: figures of a snapshot or of a test. */
export const Grounds = z.object({
  snapshot_id: z.string().optional().describe('The snapshot that it refers to.'),
  test_id: z.string().optional().describe('The A/B test that it follows from.'),
  n: z.int().optional().describe('How many the share is of.'),
  rate: z.number().nullable().optional().describe('The share that it rests on.'),
  ci95: z
    .object({ lower: z.number().describe('Its lower end.'), upper: z.number().describe('Its upper end.') })
    .nullable()
    .optional()
    .describe('The 95 % interval of the share (Wilson).'),
  /** Why it was suggested. */
  reason: z.string().optional().describe('The reason, for people.'),
})
export type Grounds = z.output<typeof Grounds>

export const RoutingUpdate = z.object({
  ...resourceMembers,
  type: z
    .enum(UPDATE_TYPES)
    .describe(
      'What it changes: the tier that an action starts at, the model of a slot, or below which probability a model raises.',
    ),
  node_id: z.string().optional().describe('Id of the node.'),
  action_id: z.string().optional().describe('Id of the action in its manifest.'),
  endpoint_sha256: z
    .string()
    .optional()
    .describe('SHA-256 of the action as its manifest describes it. What was learnt on it covers no other.'),
  /** The slot whose model changes, and the hash of the new file. */
  slot: z.string().optional().describe('The slot of a model.'),
  model_sha256: z.string().optional().describe('SHA-256 of the file of the model that takes the slot.'),
  from: Value.describe('What held when it was proposed.'),
  to: Value.describe('What holds once it is applied.'),
  /** Less strict than what holds now. */
  loosens: z.boolean().describe('It is less strict than what held.'),
  rationale: z.string().describe('Why, in words for those who decide on it.'),
  evidence: Grounds.optional().describe('What speaks for it.'),
  proposed_by: Actor.describe('Who proposed it.'),
  /** Everybody behind the proposal. None of them may approve or apply it. */
  persons: z.array(z.string()),
  source: z.enum(UPDATE_SOURCES).describe('Where it came from.'),
  status: z.enum(UPDATE_STATUSES).describe('The current state.'),
  /** The execution that waits for approval. */
  execution_id: z.string().describe('Id of the execution.'),
  approval_id: z.string().optional().describe('Id of the approval.'),
  approved_by: Actor.optional().describe('Id of the person who approved.'),
  approved_at: z.string().optional().describe('When it was approved.'),
  applied_by: Actor.optional().describe('Who put it into effect.'),
  applied_at: z.string().optional().describe('When it was put into effect.'),
  rule_version: z.int().optional().describe('The version of the action’s rule that it wrote.'),
  valid_until: z.string().optional().describe('When the evidence expires.'),
  /** Once approved: until when it can be applied. */
  expires_at: z.string().optional().describe('When it expires.'),
  superseded_by: z.string().optional().describe('Id of the update that replaced it.'),
  ended_because: z.string().optional().describe('Why it ended.'),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  /** The artifact of its last change of status. */
  artifact_id: z.string(),
})
export type RoutingUpdate = z.output<typeof RoutingUpdate>

/** An update that writes the rule of an action. */
export type RuleUpdate = RoutingUpdate & { type: Exclude<RoutingUpdate['type'], 'model_change'> }

export const isOfRule = <T extends RoutingUpdate>(update: T): update is T & RuleUpdate => update.type !== 'model_change'

export const learningPartition = (space: Space): string => spaceKey(space, 'LEARNING')

export const routingUpdates = entity({
  name: 'ROUTINGUPDATE',
  unbound: 'proven by artifacts',
  schema: RoutingUpdate,
  key: (of: Space & { id: string }) => ({ pk: learningPartition(of), sk: key('RTU', of.id) }),
})

/** The update of an execution has the same ULID, so neither can be taken for another's. */
export const updateIdOf = (executionId: string): string => executionId.replace('exe_', 'rtu_')

type Target = Pick<RoutingUpdate, 'type' | 'node_id' | 'action_id' | 'slot'>

/** The target of an update; two open updates of one target would overwrite each other. */
export const targetOf = ({ type, node_id, action_id, slot }: Target): string =>
  slot === undefined ? key(type, node_id ?? '', action_id ?? '') : key(type, slot)

/** One item of each target: the update that waits for people, and the one in force. */
export const updateTargets = entity({
  name: 'ROUTINGTARGET',
  unbound: 'bounded',
  schema: z.object({
    ...spaceMembers,
    target: z.string(),
    open: z.string().optional(),
    applied: z.string().optional(),
  }),
  key: (of: Space & { target: string }) => ({ pk: learningPartition(of), sk: `TARGET#${of.target}` }),
})
export type UpdateTarget = z.output<typeof updateTargets.schema>

/** `rule`: what the action's rule says after the change; its artifact is the one of this change. */
type With = { rule?: Omit<RoutingRule, 'artifact_id'>; events?: readonly EventDraft[] }

export const { begin: beginUpdate, move: moveUpdate } = lifecycle(routingUpdates, UPDATE_STATES, {
  named: ({ artifact_id, at }) => ({ updated_at: iso(at), artifact_id }),
  facts: (next, was, { rule }: With = {}) => ({
    type: 'routing.update.changed',
    subject: { type: 'routing_update', id: next.id },
    node_id: next.node_id,
    action_id: next.action_id,
    data: factsOf(next, was, rule),
  }),
  events: (_update, _was, { events = [] }: With = {}) => events,
})

function factsOf(
  next: Omit<RoutingUpdate, 'updated_at' | 'artifact_id'>,
  was: RoutingUpdate | undefined,
  rule: With['rule'],
) {
  return {
    from: was?.status ?? null,
    to: next.status,
    update_type: next.type,
    value_from: next.from,
    value_to: next.to,
    loosens: next.loosens,
    execution_id: next.execution_id,
    source: next.source,
    ...(next.slot !== undefined && { slot: next.slot }),
    ...(next.endpoint_sha256 !== undefined && { endpoint_sha256: next.endpoint_sha256 }),
    ...(next.model_sha256 !== undefined && { model_sha256: next.model_sha256 }),
    ...(next.ended_because !== undefined && { reason: next.ended_because }),
    ...(rule && { rule_version: rule.version, rule_sha256: ruleDigest({ ...rule, artifact_id: '' }) }),
  }
}

// What approvers read and approve: the payload of the execution. A member that is missing from it was not approved.

type Said = Pick<
  RoutingUpdate,
  | 'type'
  | 'node_id'
  | 'action_id'
  | 'slot'
  | 'endpoint_sha256'
  | 'model_sha256'
  | 'from'
  | 'to'
  | 'loosens'
  | 'rationale'
>

export function payloadOf(update: Said): JsonObject {
  const { type, node_id, action_id, slot, endpoint_sha256, model_sha256, from, to, loosens, rationale } = update
  return given({ type, node_id, action_id, slot, endpoint_sha256, model_sha256, from, to, loosens, rationale })
}

/** Whether the update says what was approved. */
export const saysTheSame = (update: Said, approved: JsonObject | null): boolean =>
  approved !== null && canonicalJson(payloadOf(update)) === canonicalJson(approved)
