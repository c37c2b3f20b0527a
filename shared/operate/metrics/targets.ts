// The targets that a tenant sets for its figures.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, spaceKey, type Stored } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'

/** The figures that can have a target, and the most that each can be. */
export const TARGET_METRICS = {
  governance_latency_p95_ms: Number.MAX_SAFE_INTEGER,
  approval_decision_p95_s: Number.MAX_SAFE_INTEGER,
  auto_rate: 1,
  rejection_rate: 1,
  undo_rate: 1,
  error_rate: 1,
  pii_unblocked: Number.MAX_SAFE_INTEGER,
  webhook_success_rate: 1,
  training_completion_rate: 1,
  model_accuracy: 1,
  posture_score: 100,
} as const

export type TargetMetric = keyof typeof TARGET_METRICS
const names = Object.keys(TARGET_METRICS) as TargetMetric[] // keys of the constant itself

export const Target = z.strictObject({
  metric: z.enum(names).describe('The figure that the target is about.'),
  op: z.enum(['lte', 'gte']).describe('Whether the figure has to be at most (`lte`) or at least (`gte`) the target.'),
  value: z.number().min(0).describe('The figure; null without data.'),
})
export type Target = z.output<typeof Target>

export const Targets = z
  .array(Target)
  .max(names.length)
  .refine((targets) => new Set(targets.map(({ metric }) => metric)).size === targets.length, {
    error: 'must name each metric once',
  })
  .refine((targets) => targets.every(({ metric, value }) => value <= TARGET_METRICS[metric]), {
    error: 'must hold rates up to 1 and a posture_score up to 100',
  })

const Actor = z.object({
  type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
  id: z.string().describe('Id of the caller.'),
})

export const targetLists = entity({
  name: 'TARGETS',
  unbound: 'bounded',
  schema: z.object({
    ...spaceMembers,
    targets: z.array(Target),
    updated_at: z.string(),
    updated_by: Actor,
  }),
  key: (space: Space) => ({ pk: spaceKey(space, 'OPS'), sk: 'TARGETS' }),
})
export type TargetList = Stored<z.output<(typeof targetLists)['schema']>>

/** In force until somebody sets others. */
export const SEEDED: Target[] = [{ metric: 'governance_latency_p95_ms', op: 'lte', value: 200 }]

export const TargetsView = z.object({
  targets: z.array(Target).describe('The whole list of targets.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
  updated_at: z.string().nullable().describe('When it was last changed.'),
  updated_by: Actor.nullable().describe('The caller that last changed it.'),
})

export const readTargets = ({ table, space }: Context): Promise<TargetList | undefined> => table.get(targetLists, space)

/** The seeded list is version 1, so the first one of the tenant's own is version 2. */
export const versionOf = (stored: TargetList | undefined): number => (stored?._v ?? 0) + 1

export const targetsView = (stored: TargetList | undefined): z.input<typeof TargetsView> => ({
  targets: stored?.targets ?? SEEDED,
  version: versionOf(stored),
  updated_at: stored?.updated_at ?? null,
  updated_by: stored?.updated_by ?? null,
})
