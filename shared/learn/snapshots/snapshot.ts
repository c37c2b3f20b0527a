// A snapshot: what the decisions of a window say about each action. Made by a worker; it changes nothing by itself.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { TIERS } from '../../base/catalog/kinds.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { StandingView } from '../../govern/learned/standing-view.ts'
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
  node_id: z.string(),
  action_id: z.string(),
  endpoint_sha256: z.string(),
  ...Figures.shape,
  /** Null for an action that its node no longer has, or has in another form. */
  current_tier: z.enum(TIERS).nullable(),
  floor_tier: z.enum(TIERS).nullable(),
  suggested_tier: z.enum(TIERS).nullable(),
  reason: z.string().nullable(),
  /** Since when every snapshot has found the same loosening justified. */
  loosening_since: z.string().nullable(),
})
export type ActionSnapshot = z.output<typeof ActionSnapshot>

const Drifted = z.object({
  node_id: z.string(),
  action_id: z.string(),
  feature: z.enum(['payload_bytes', 'confidence']),
  psi: z.number(),
  n: z.int(),
  former_n: z.int(),
  drifted: z.boolean(),
})

export const Content = z.object({
  totals: z.object({
    executions: z.int(),
    decided: z.int(),
    approvals: z.int(),
    rejections: z.int(),
    expired: z.int(),
    undone: z.int(),
    failed: z.int(),
    /** Left out, because the evidence does not confirm them. */
    unproven: z.int(),
  }),
  actions: z.array(ActionSnapshot),
  /** Agents, keys and clients that acted in the window: the 100 with the lowest trust. */
  agents: z.array(StandingView.extend({ actor: z.string() })),
  /** The model that judges actions; null where none is deployed. */
  model: z.object({ slot: z.string(), model_id: z.string(), version: z.int() }).nullable(),
  calibration: z.object({
    n: z.int(),
    brier: z.number().nullable(),
    ece: z.number().nullable(),
    bins: z.array(z.object({ from: z.number(), n: z.int(), mean: z.number().nullable(), rate: z.number().nullable() })),
  }),
  drift: z.array(Drifted),
  recommendations: z.array(
    z.object({
      code: z.enum(['approvals_not_read', 'change_tier', 'drift']),
      node_id: z.string(),
      action_id: z.string(),
      detail: z.string(),
    }),
  ),
})
export type Content = z.output<typeof Content>

/** With what the next snapshot is compared with, by action and feature. */
const Body = Content.extend({
  distributions: z.record(z.string(), z.object({ payload_bytes: Distribution, confidence: Distribution })),
})
export type Body = z.output<typeof Body>

export const Snapshot = z.object({
  ...resourceMembers,
  status: z.enum(SNAPSHOT_STATUSES),
  trigger: z.enum(['schedule', 'manual', 'pipeline']),
  window_days: z.int(),
  /** Only actions of this node. */
  node_id: z.string().optional(),
  window: z.object({ start_at: z.string(), end_at: z.string() }),
  requested_by: z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() }),
  computed_ms: z.int().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  /** The content, as deflated JSON. */
  body: z.custom<Uint8Array>((value) => value instanceof Uint8Array).optional(),
  created_at: z.string(),
  updated_at: z.string(),
  attempt: z.int(),
  due_at: z.string().optional(),
})
export type Snapshot = z.output<typeof Snapshot>

const KEPT_MS = 400 * 86_400_000

export const snapshots = entity({
  name: 'SNAPSHOT',
  schema: Snapshot,
  key: (of: Space & { id: string }) => ({ pk: learningPartition(of), sk: key('SNP', of.id) }),
  index: (item) => dueAt(item.due_at, item.id),
  ttl: ({ created_at }) => Math.floor((Date.parse(created_at) + KEPT_MS) / 1_000),
})

/** One item of each space: the snapshot that is being made, and the newest ones. */
export const snapshotHeads = entity({
  name: 'SNAPSHOTHEAD',
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
