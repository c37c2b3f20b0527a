// A snapshot: what the decisions of a window say about each action. Made by a worker; it changes nothing by itself.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { TIERS } from '../../base/catalog/kinds.ts'
import { lifecycle } from '../../ledger/evidence/artifact/lifecycle.ts'
import { notFound } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { TrustView } from '../../govern/learned/trust-view.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { learningPartition } from '../routing/update.ts'
import { Figures } from './figures.ts'

export const SNAPSHOT_STATUSES = ['queued', 'running', 'completed', 'failed'] as const
export const SNAPSHOT_STATES: States<(typeof SNAPSHOT_STATUSES)[number]> = {
  queued: ['running', 'failed'],
  running: ['completed', 'failed'],
  completed: [],
  failed: [],
}

const Distribution = z.object({ n: z.int(), edges: z.array(z.number()), counts: z.array(z.int()) })

export const ActionSnapshot = z.object({
  node_id: z.string().describe('Id of the node.'),
  action_id: z.string().describe('Id of the action in its manifest.'),
  endpoint_sha256: z
    .string()
    .describe('SHA-256 of the action as its manifest describes it. What was learnt on it covers no other.'),
  ...Figures.shape,
  /** Null for an action that its node no longer has, or has in another form. */
  current_tier: z.enum(TIERS).nullable().describe('The tier that it starts at now; null once the action has changed.'),
  floor_tier: z.enum(TIERS).nullable().describe('The tier below which nothing brings it.'),
  suggested_tier: z
    .enum(TIERS)
    .nullable()
    .describe(
      'What its record suggests; null: no change. Loosening is suggested once two snapshots, a day apart, agree.',
    ),
  reason: z.string().nullable().describe('The reason, for people.'),
  loosening_since: z.string().nullable().describe('Since when every snapshot has found the loosening justified.'),
})
export type ActionSnapshot = z.output<typeof ActionSnapshot>

const Drifted = z.object({
  node_id: z.string().describe('Id of the node.'),
  action_id: z.string().describe('Id of the action in its manifest.'),
  feature: z.enum(['payload_bytes', 'confidence']).describe('The figure that is compared.'),
  psi: z.number().describe('Population stability index.'),
  n: z.int().describe('The number of decisions.'),
  former_n: z.int().describe('How many values the former snapshot had.'),
  drifted: z.boolean().describe('The index is above 0.2, with at least 200 values on both sides.'),
})

export const Content = z.object({
  totals: z
    .object({
      executions: z.int().describe('Executions that were counted.'),
      decided: z.int().describe('Approvals that people or keys decided.'),
      approvals: z.int().describe('Of these, how many they gave.'),
      rejections: z.int().describe('Of these, how many they refused.'),
      expired: z.int().describe('Approvals that nobody decided in time.'),
      undone: z.int().describe('Actions that were undone.'),
      failed: z.int().describe('Actions that failed.'),
      unproven: z.int().describe('Executions left out because the evidence does not confirm them.'),
    })
    .describe('Over all actions.'),
  actions: z.array(ActionSnapshot).describe('What was learnt of each action.'),
  /** Agents, keys and clients that acted in the window: the 100 with the lowest trust. */
  agents: z
    .array(
      TrustView.extend({
        actor: z.string().describe('Who: agent, key or client with its id, and an agent that an unbound one named.'),
      }),
    )
    .describe('Agents, keys and clients that acted in the window: the 100 with the lowest trust.'),
  /** The model that judges actions; null where none is deployed. */
  model: z
    .object({
      slot: z.string().describe('The slot of a model.'),
      model_id: z.string().describe('Id of the model.'),
      version: z.int().describe('Version of the model.'),
    })
    .nullable()
    .describe('The model that judges actions; null where none is deployed.'),
  calibration: z
    .object({
      n: z.int().describe('The number of decisions.'),
      brier: z.number().nullable().describe('Brier score; 0 is perfect.'),
      ece: z.number().nullable().describe('Expected calibration error over ten bins.'),
      bins: z
        .array(
          z.object({
            from: z.number().describe('Its lower end.'),
            n: z.int().describe('The number of decisions.'),
            mean: z.number().nullable().describe('The mean of the stated probabilities.'),
            rate: z.number().nullable().describe('The share that was approved.'),
          }),
        )
        .describe('By the probability that was stated.'),
    })
    .describe('How well the probabilities of the models agree with what people decided.'),
  drift: z.array(Drifted).describe('How far figures have moved since the former snapshot.'),
  recommendations: z
    .array(
      z.object({
        code: z.enum(['approvals_not_read', 'change_tier', 'drift']).describe('What is recommended, for programs.'),
        node_id: z.string().describe('Id of the node.'),
        action_id: z.string().describe('Id of the action in its manifest.'),
        detail: z.string().describe('More details.'),
      }),
    )
    .describe('What people should look at.'),
})
export type Content = z.output<typeof Content>

/** The content, and the distributions that the next snapshot is compared with, by action and feature. */
const Body = Content.extend({
  distributions: z.record(z.string(), z.object({ payload_bytes: Distribution, confidence: Distribution })),
})
export type Body = z.output<typeof Body>

export const Snapshot = z.object({
  ...resourceMembers,
  status: z.enum(SNAPSHOT_STATUSES).describe('The current state.'),
  trigger: z.enum(['schedule', 'manual', 'pipeline']).describe('The cause of the run.'),
  window_days: z.int().describe('How many days it looks at.'),
  /** Only actions of this node. */
  node_id: z.string().optional(),
  window: z
    .object({
      start_at: z.string().describe('The beginning of the window.'),
      end_at: z.string().describe('The end of the window, exclusive.'),
    })
    .describe('The window that was counted.'),
  requested_by: z
    .object({
      type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
      id: z.string().describe('Id of the caller.'),
    })
    .describe('The caller that requested it.'),
  computed_ms: z.int().optional(),
  error: z
    .object({
      code: z.string().describe('The cause of the error, for programs.'),
      message: z.string().describe('A message for people.'),
    })
    .optional()
    .describe('The cause of the error.'),
  /** The content, as deflated JSON. */
  body: z.custom<Uint8Array>((value) => value instanceof Uint8Array).optional(),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  attempt: z.int(),
  due_at: z.string().optional(),
})
export type Snapshot = z.output<typeof Snapshot>

const KEPT_MS = 400 * 86_400_000

export const snapshots = entity({
  name: 'SNAPSHOT',
  unbound: 'bounded',
  schema: Snapshot,
  key: (of: Space & { id: string }) => ({ pk: learningPartition(of), sk: key('SNP', of.id) }),
  index: (item) => dueAt(item.due_at, item.id),
  ttl: ({ created_at }) => Math.floor((Date.parse(created_at) + KEPT_MS) / 1_000),
})

/** One item of each space: the snapshot that is being made, and the newest ones. */
export const snapshotHeads = entity({
  name: 'SNAPSHOTHEAD',
  unbound: 'bounded',
  schema: z.object({
    ...spaceMembers,
    open: z.string().optional(),
    latest: z.string().optional(),
    /** Of all nodes. */
    latest_full: z.string().optional(),
  }),
  key: (of: Space) => ({ pk: learningPartition(of), sk: 'SNAPSHOTS' }),
})

export const packBody = (body: Body): Uint8Array => deflateRawSync(JSON.stringify(body))
export const bodyOf = ({ body }: Snapshot): Body | undefined =>
  body && Body.parse(JSON.parse(inflateRawSync(body).toString()))

export const isOpenSnapshot = ({ status }: Snapshot): boolean => status === 'queued' || status === 'running'

/** Throws 404. */
export async function findSnapshot({ table, space }: Context, id: string): Promise<Snapshot> {
  const found = await table.get(snapshots, { ...space, id })
  if (!found) throw notFound('snapshot')
  return found
}

export async function latestSnapshot(ctx: Context, scope: 'latest' | 'latest_full'): Promise<Snapshot | undefined> {
  const head = await ctx.table.get(snapshotHeads, ctx.space)
  const id = head?.[scope]
  return id === undefined ? undefined : ctx.table.get(snapshots, { ...ctx.space, id })
}

export const {
  begin: beginSnapshot,
  move: moveSnapshot,
  touch: touchSnapshot,
} = lifecycle(snapshots, SNAPSHOT_STATES, {
  facts: (next, was) => ({
    type: 'learning.snapshot.changed',
    subject: { type: 'learning_snapshot', id: next.id },
    data: {
      from: was?.status ?? null,
      to: next.status,
      trigger: next.trigger,
      start_at: next.window.start_at,
      end_at: next.window.end_at,
      ...(next.body && { body_sha256: sha256Hex(next.body) }),
      ...(next.error && { code: next.error.code }),
    },
  }),
  events: (next) => created(next),
})

function created({ id, window, body }: Snapshot): EventDraft[] {
  if (!body) return []
  const name = `Snapshot of ${window.end_at.slice(0, 10)}`
  const what = { artifact_type: 'learning_snapshot' as const, resource_id: id, name }
  const data = { ...what, sha256: sha256Hex(body), size_bytes: body.length }
  return [{ type: 'artifact.created', subject: { id, version: 1 }, data }]
}
