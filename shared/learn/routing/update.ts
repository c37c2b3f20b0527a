// A routing update: a change of what an action starts at, of the threshold of the model that judges it, or of the model in a slot.
// It has no effect before people have approved it and somebody who did not propose it has applied it.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { UPDATE_STATUSES } from './states.ts'

export const UPDATE_TYPES = ['tier_change', 'threshold_change', 'model_change'] as const
export const UPDATE_SOURCES = ['learning', 'human', 'ab_test'] as const

const Actor = z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() })
/** A tier, the id of a model, or a threshold; null: nothing was set. */
export const Value = z.union([z.string(), z.number()]).nullable()

/** What speaks for it: figures of a snapshot or of a test. */
export const Grounds = z.object({
  snapshot_id: z.string().optional(),
  test_id: z.string().optional(),
  n: z.int().optional(),
  rate: z.number().nullable().optional(),
  ci95: z.object({ lower: z.number(), upper: z.number() }).nullable().optional(),
  /** Why it was suggested. */
  reason: z.string().optional(),
})
export type Grounds = z.output<typeof Grounds>

export const RoutingUpdate = z.object({
  ...resourceMembers,
  type: z.enum(UPDATE_TYPES),
  node_id: z.string().optional(),
  action_id: z.string().optional(),
  /** Of the action that it was learnt on. */
  endpoint_sha256: z.string().optional(),
  /** Whose model changes, and the hash of the file that takes its place. */
  slot: z.string().optional(),
  model_sha256: z.string().optional(),
  from: Value,
  to: Value,
  /** Less strict than what holds now. */
  loosens: z.boolean(),
  rationale: z.string(),
  evidence: Grounds.optional(),
  proposed_by: Actor,
  /** Everybody behind the proposal. None of them may approve or apply it. */
  persons: z.array(z.string()),
  source: z.enum(UPDATE_SOURCES),
  status: z.enum(UPDATE_STATUSES),
  /** The execution that waits for approval. */
  execution_id: z.string(),
  approval_id: z.string().optional(),
  approved_by: Actor.optional(),
  approved_at: z.string().optional(),
  applied_by: Actor.optional(),
  applied_at: z.string().optional(),
  /** Of the rule that it wrote. */
  rule_version: z.int().optional(),
  valid_until: z.string().optional(),
  /** Once approved: until when it can be applied. */
  expires_at: z.string().optional(),
  superseded_by: z.string().optional(),
  /** Why it was suspended. */
  ended_because: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  /** The artifact of its last change of status. */
  artifact_id: z.string(),
})
export type RoutingUpdate = z.output<typeof RoutingUpdate>

/** One that writes the rule of an action. */
export type RuleUpdate = RoutingUpdate & { type: Exclude<RoutingUpdate['type'], 'model_change'> }

export const isOfRule = <T extends RoutingUpdate>(update: T): update is T & RuleUpdate => update.type !== 'model_change'

export const learningPartition = (space: Space): string => spaceKey(space, 'LEARNING')

export const routingUpdates = entity({
  name: 'ROUTINGUPDATE',
  schema: RoutingUpdate,
  key: (of: Space & { id: string }) => ({ pk: learningPartition(of), sk: key('RTU', of.id) }),
})

/** The update of an execution has the same ULID, so neither can be taken for another's. */
export const updateIdOf = (executionId: string): string => executionId.replace('exe_', 'rtu_')

type Target = Pick<RoutingUpdate, 'type' | 'node_id' | 'action_id' | 'slot'>

/** What an update changes; two of one target would overtake each other. */
export const targetOf = ({ type, node_id, action_id, slot }: Target): string =>
  slot === undefined ? key(type, node_id ?? '', action_id ?? '') : key(type, slot)

/** One item of each target: the update that waits for people, and the one in force. */
export const updateTargets = entity({
  name: 'ROUTINGTARGET',
  schema: z.object({
    ...spaceMembers,
    target: z.string(),
    open: z.string().optional(),
    applied: z.string().optional(),
  }),
  key: (of: Space & { target: string }) => ({ pk: learningPartition(of), sk: `TARGET#${of.target}` }),
})
export type UpdateTarget = z.output<typeof updateTargets.schema>
