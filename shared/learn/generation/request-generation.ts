// Requests a dataset made of the tenant's own history. It copies payloads, so it asks for the right to read evidence as well.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { forbidden, invalid } from '../../base/lib/failure.ts'
import { optional } from '../../base/wire/fields.ts'
import type { Stored } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { executionsBetween } from '../../govern/executions/between.ts'
import {
  type Dataset,
  DATASET_FORMATS,
  DATASET_STYLES,
  type DatasetFilters,
  LABEL_SOURCES,
  TIERS,
} from '../datasets/dataset.ts'
import { datasetName } from '../datasets/dataset-name.ts'
import { storeDataset } from '../datasets/store-dataset.ts'

const EXECUTIONS_MAX = 100_000
const DEFAULT_WINDOW_MS = 90 * 86_400_000

const time = z.iso.datetime({ offset: true }).or(z.iso.date())

export const GenerationBody = z.strictObject({
  name: datasetName,
  source: z.enum(['protocol_executions', 'feedback']).default('protocol_executions'),
  format: z.enum(DATASET_FORMATS).default('dpo'),
  filters: z
    .strictObject({
      start_date: optional(time),
      end_date: optional(time),
      min_confidence: optional(z.number().min(0).max(1)),
    })
    .default({ start_date: undefined, end_date: undefined, min_confidence: undefined }),
  style: z.enum(DATASET_STYLES).default('json'),
  group_by: z.enum(['task', 'action']).default('task'),
  split: z.enum(['group', 'time']).default('group'),
  test_fraction: z.number().min(0).max(0.5).default(0.1),
  max_pairs_per_sample: z.int().min(1).max(10).default(1),
  include_tiers: z
    .array(z.enum(TIERS))
    .min(1)
    .max(3)
    .default([...TIERS]),
  include_sources: z
    .array(z.enum(LABEL_SOURCES))
    .min(1)
    .max(6)
    .default([...LABEL_SOURCES]),
  pii: z.enum(['redact', 'drop', 'keep']).default('redact'),
  seed: z.int().min(0).max(4_294_967_295).default(0),
})
export type GenerationBody = z.output<typeof GenerationBody>

export async function requestGeneration(ctx: Context, body: GenerationBody): Promise<Stored<Dataset>> {
  const { permissions } = ctx.principal
  if (!permissions.has('evidence:read'))
    throw forbidden('A dataset copies what was requested. You need the permission evidence:read.')
  if (body.pii === 'keep' && !permissions.has('policies:write'))
    throw forbidden('Personal data would stay in the dataset. You need the permission policies:write.')
  const { name, source, format, style, filters, ...options } = body
  const { created_at } = await tenantOf(ctx.table, ctx.space.tenant_id)
  const window = windowOf(filters, { now: ctx.now(), since: Date.parse(created_at) })
  await mustFit(ctx, window)
  const all: DatasetFilters = { ...options, ...window, min_confidence: filters.min_confidence ?? 0 }
  return storeDataset(ctx, { name, source, format, style, status: 'queued', filters: all })
}

/** An end in the future is now: what is generated later from the same filters is made of the same executions. */
function windowOf({ start_date, end_date }: GenerationBody['filters'], { now, since }: { now: number; since: number }) {
  const end = Math.min(end_date === undefined ? now : Date.parse(end_date), now)
  const start = start_date === undefined ? end - DEFAULT_WINDOW_MS : Date.parse(start_date)
  if (start >= end) throw invalid(['filters', 'end_date'], 'must be after start_date, which must not be in the future')
  // Before its tenant there was nothing, and each month takes a few reads.
  return { start_date: iso(Math.max(start, Math.min(since, end - 1))), end_date: iso(end) }
}

/** Throws 422 for more than `max` executions: what would not end in one run of the worker is refused before. */
export async function mustFit(
  ctx: Context,
  window: { start_date: string; end_date: string },
  max = EXECUTIONS_MAX,
): Promise<void> {
  const list = executionsBetween(ctx.space, Date.parse(window.start_date), Date.parse(window.end_date))
  const { from, to } = list
  const counts = await Promise.all(
    list.groups.flatMap(({ partitions }) =>
      partitions.map((pk) => ctx.table.count({ pk, index: 'gsi1', from, to }, 25)),
    ),
  )
  const total = counts.reduce((sum, one) => sum + one.total, 0)
  if (total > max || counts.some(({ complete }) => !complete))
    throw invalid(['filters'], `must not cover more than ${max} executions`)
}
