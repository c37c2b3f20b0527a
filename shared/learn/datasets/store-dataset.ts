// Stores a new dataset under the next version of its name, and starts the work on it.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { warn } from '../../base/lib/log.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { beginDataset, type Dataset, datasetNames } from './dataset.ts'
import { enqueueLearning } from '../queue.ts'

/** How long the first message may take to start the work. */
const FIRST_TRY_MS = 60_000

type Draft = Pick<Dataset, 'name' | 'source' | 'format' | 'style' | 'status'> & Partial<Dataset>

/** `id`: where something of it is stored already. */
export async function storeDataset(ctx: Context, draft: Draft): Promise<Stored<Dataset>> {
  const { id = ctx.id('dst') } = draft
  const dataset = await retryWhenChanged(() => store(ctx, { ...draft, id }))
  await enqueueLearning(ctx.space, id).catch((error: unknown) => warn('dataset_not_enqueued', error, { dataset: id }))
  return dataset
}

async function store(ctx: Context, draft: Draft & { id: string }): Promise<Stored<Dataset>> {
  const at = ctx.now()
  const { id, name } = draft
  const was = await ctx.table.get(datasetNames, { ...ctx.space, name })
  const dataset_version = (was?.dataset_version ?? 0) + 1
  const { item, write, transition } = beginDataset(ctx, {
    ...ctx.space,
    files: [],
    progress: 0,
    attempt: 0,
    ...draft,
    dataset_version,
    created_at: iso(at),
    updated_at: iso(at),
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
    due_at: iso(at + FIRST_TRY_MS),
  })
  const named = { ...ctx.space, name, id, dataset_version }
  const nameWrite = was
    ? datasetNames.replace(named, was, new ChangedMeanwhile())
    : datasetNames.insert(named, new ChangedMeanwhile())
  await ctx.table.commit([nameWrite, write, ...commitWith(ctx, [transition])], id)
  return item
}
