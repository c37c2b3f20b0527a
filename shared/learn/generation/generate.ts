// Makes the files of a dataset: label, redact, dedup, pair, split, write. Safe to repeat; the same input gives the same bytes.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { personalData } from '../../govern/executions/measures.ts'
import { headKey, heads } from '../../ledger/evidence/chain/chain.ts'
import { claimDataset, describeFiles, publishFiles, removeFiles } from '../datasets/publish-files.ts'
import { type Dataset, type DatasetFilters, datasets } from '../datasets/dataset.ts'
import { moveDataset } from '../datasets/move-dataset.ts'
import { dedup, type Deduped, type Pair, pairsOf } from '../samples/pair.ts'
import { plan } from '../samples/rows.ts'
import { type Sample, splitOf } from '../samples/sample.ts'
import { collect, type Collected } from './collect.ts'
import { Scratch, writeRows } from './write-rows.ts'
import type { DatasetCounts } from '../datasets/dataset-counts.ts'

type Claimed = Stored<Dataset> & { filters: DatasetFilters }

/**
 * Does nothing while another worker has the dataset. All files are stored before the one write that makes it `ready`, so a dataset
 * is never half there; if the process dies, a later worker starts again and writes the same bytes over them.
 */
export async function generateDataset(ctx: Context, found: Stored<Dataset>): Promise<void> {
  const claimed = await claimDataset(ctx, found)
  if (!claimed) return
  const { filters } = claimed
  if (!filters) throw new Error('a generation without filters')
  const folder = await mkdtemp(join(tmpdir(), 'dataset-'))
  const scratch = new Scratch(join(folder, 'scratch'))
  try {
    await make(ctx, { ...claimed, filters }, { scratch, folder })
  } finally {
    scratch.close()
    await rm(folder, { recursive: true })
  }
}

async function make(ctx: Context, dataset: Claimed, { scratch, folder }: { scratch: Scratch; folder: string }) {
  const head = await ctx.table.get(heads, headKey(ctx.space))
  const collected = await collect(ctx, dataset, { scratch, onPage: (until) => note(ctx, dataset, until) })
  const made = arranged(dataset, collected)
  const error = errorOf(dataset, collected, made)
  if (error) {
    await moveDataset(ctx, dataset, { ...made.facts, status: 'failed', due_at: undefined, error })
    return
  }
  const rows = writeRows({ ...made, seed: dataset.filters.seed, scratch, folder })
  const { files, content_sha256 } = describeFiles({ ...dataset, ...made.facts }, rows, folder)
  await publishFiles(dataset, files, folder)
  const chain_head = head ? { sequence: head.size, hash: Buffer.from(head.last).toString('hex') } : null
  const lineage = { ...lineageOf(made.samples), chain_head }
  const ready = { ...made.facts, files, content_sha256, lineage, progress: 1, due_at: undefined }
  // A payload was erased meanwhile: what was made may hold it, and the next run makes it anew.
  const measures = personalData({ direction: 'dataset', action: 'redacted', types: collected.types })
  if (!(await moveDataset(ctx, dataset, { ...ready, status: 'ready' }, { measures }))) await removeFiles(dataset, files)
}

function arranged({ format, filters, pii }: Claimed, collected: Collected) {
  const { samples, duplicates, conflicts } = dedup(collected.samples)
  const pairs = pairsOf(samples, filters.max_pairs_per_sample)
  const split = splitOf(samples, filters)
  const counts = countsOf(collected, { samples, pairs, duplicates, conflicts })
  const cleaned = { mode: filters.pii, redactions: counts.pii_redactions, residual: collected.residual }
  return {
    samples,
    split,
    rows: plan(format, samples, pairs),
    facts: { counts, split: split.kind, pii: pii ?? cleaned },
  }
}

/** Why a dataset of these rows must not be published. */
export function errorOf(
  { format }: Pick<Claimed, 'format'>,
  { residual }: Pick<Collected, 'residual'>,
  { rows }: Pick<ReturnType<typeof arranged>, 'rows'>,
): Dataset['error'] {
  if (residual > 0)
    return { code: 'pii_residual', message: 'Personal data was left after redaction. Generate with pii drop.' }
  if (rows.some((row) => row.format === format)) return undefined
  return format === 'dpo'
    ? {
        code: 'no_pairs',
        message: 'No prompt has both a chosen and a rejected answer. Widen the window, or ask for kto.',
      }
    : { code: 'no_rows', message: 'No execution of the window gives a row. Widen the window or the filters.' }
}

function lineageOf(samples: readonly Sample[]) {
  const times = samples.map(({ requested_at }) => requested_at).toSorted((a, b) => a - b)
  const [first, last] = [times[0], times.at(-1)]
  return {
    first_execution_at: first === undefined ? null : iso(first),
    last_execution_at: last === undefined ? null : iso(last),
    execution_count: new Set(samples.flatMap(({ execution_ids }) => execution_ids)).size,
  }
}

/** How far the window is read; the files come after. Outside any commit, since nothing follows from it. */
async function note(ctx: Context, { filters, ...dataset }: Claimed, until: number): Promise<void> {
  const [from, to] = [Date.parse(filters.start_date), Date.parse(filters.end_date)]
  const progress = Math.round((0.9 * 100 * (until - from)) / (to - from)) / 100
  await ctx.table.update(datasets.key(dataset), { set: { progress: Math.min(0.9, Math.max(0, progress)) } })
}

/** How many of the collected samples became pairs and rows, and why the others were left out. */
function countsOf(
  { counts }: Collected,
  { samples, pairs, duplicates, conflicts }: Deduped & { pairs: readonly Pair[] },
): DatasetCounts {
  const paired = new Set(pairs.flatMap(({ chosen, rejected }) => [chosen.id, rejected.id]))
  const chosen = samples.filter(({ side }) => side === 'chosen').length
  const sources = samples.map(({ source }) => source).toSorted()
  const by_source: Record<string, number> = {}
  for (const source of sources) by_source[source] = (by_source[source] ?? 0) + 1
  return {
    pairs: pairs.length,
    chosen,
    rejected: samples.length - chosen,
    unpaired: samples.filter(({ id }) => !paired.has(id)).length,
    ...counts,
    duplicates,
    conflicts,
    by_source,
  }
}
