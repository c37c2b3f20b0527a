// Requests a dataset made of the tenant's own history. It copies payloads, so it asks for the right to read evidence as well.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { forbidden, invalid } from '../../base/lib/failure.ts'
import { optional } from '../../base/wire/fields.ts'
import type { Stored } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { executionsBetween } from '../../govern/executions/list.ts'
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
  source: z.enum(['protocol_executions', 'feedback']).default('protocol_executions').describe('Where it came from.'),
  format: z.enum(DATASET_FORMATS).default('dpo').describe('Format of the rows.'),
  filters: z
    .strictObject({
      start_date: optional(time).describe('Executions requested from this time on, ISO 8601.'),
      end_date: optional(time).describe('Executions requested before this time, ISO 8601.'),
      min_confidence: optional(z.number().min(0).max(1)).describe(
        'Samples with less confidence were left out; 0 to 1.',
      ),
    })
    .default({ start_date: undefined, end_date: undefined, min_confidence: undefined })
    .describe('What a generation took, and how it made rows of it. Absent for uploads.'),
  style: z
    .enum(DATASET_STYLES)
    .default('json')
    .describe('How an action stands in a row: `json`, its payload as text, or `tool_calls`, a call of a tool.'),
  group_by: z
    .enum(['task', 'action'])
    .default('task')
    .describe('Which samples are compared with each other: those of one task, or of one action.'),
  split: z
    .enum(['group', 'time'])
    .default('group')
    .describe('How the rows are split: by `group`, by `time`, or by `sample` where there are fewer than ten groups.'),
  test_fraction: z.number().min(0).max(0.5).default(0.1).describe('The share of groups for the test set; 0 to 0.5.'),
  max_pairs_per_sample: z
    .int()
    .min(1)
    .max(10)
    .default(1)
    .describe('With how many rejected samples a chosen one is paired, at most.'),
  include_tiers: z
    .array(z.enum(TIERS))
    .min(1)
    .max(3)
    .default([...TIERS])
    .describe('Executions of these tiers.'),
  include_sources: z
    .array(z.enum(LABEL_SOURCES))
    .min(1)
    .max(6)
    .default([...LABEL_SOURCES])
    .describe('Samples whose label came from one of these.'),
  pii: z
    .enum(['redact', 'drop', 'keep'])
    .default('redact')
    .describe('What is done about personal data: redacted, samples with any left out, or kept.'),
  seed: z
    .int()
    .min(0)
    .max(4_294_967_295)
    .default(0)
    .describe('Decides the order of the rows. The same samples and seed give the same bytes.'),
})
export type GenerationBody = z.output<typeof GenerationBody>

/**
 * Stores the dataset as queued; a worker makes its files. Throws 403 without the right to read evidence, 422 for a window that is
 * empty or covers too many executions. The window is fixed here, so a later run reads the same executions.
 */
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
