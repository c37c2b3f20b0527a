// After an erasure: datasets that may hold a copy of the erased data become stale and lose their files, and corrections of the
// erased payloads are deleted, too.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import { retryChange } from '../../base/kernel/retry.ts'
import { type Dataset, datasets, datasetsPartition } from '../datasets/dataset.ts'
import { moveDataset } from '../datasets/move-dataset.ts'
import { removeFiles } from '../datasets/publish-files.ts'
import { eraseCorrections } from '../feedback/correction.ts'

const PAGE = 200
const TRIES = 8
const AT_ONCE = 16

export async function withdrawErased(ctx: Context, executionIds: readonly string[]): Promise<void> {
  const times = executionIds.map(timeOfId)
  await inParallel(AT_ONCE, executionIds, (id) => eraseCorrections(ctx, id))
  for await (const dataset of all(ctx)) {
    if (covers(dataset, times)) await withdraw(ctx, dataset)
  }
}

async function* all(ctx: Context): AsyncGenerator<Stored<Dataset>> {
  const range = { pk: datasetsPartition(ctx.space), index: 'gsi1', limit: PAGE } as const
  for (let after: string | undefined; ;) {
    const page = await ctx.table.query(datasets, { ...range, after })
    yield* page
    after = page.at(-1)?.id
    if (page.length < PAGE) return
  }
}

/** A dataset that is being made may have read the payload already. */
function covers({ status, lineage, filters }: Dataset, times: readonly number[]): boolean {
  if (status === 'generating' && filters)
    return isWithin(times, Date.parse(filters.start_date), Date.parse(filters.end_date))
  if ((status !== 'ready' && status !== 'stale') || !lineage?.first_execution_at || !lineage.last_execution_at)
    return false
  return isWithin(times, Date.parse(lineage.first_execution_at), Date.parse(lineage.last_execution_at))
}

const isWithin = (times: readonly number[], from: number, to: number): boolean =>
  times.some((time) => time >= from && time <= to)

/** A stale one may still have files if a run died. */
const withdraw = (ctx: Context, listed: Stored<Dataset>): Promise<void> =>
  retryChange(TRIES, async (attempt) => {
    const dataset = attempt === 1 ? listed : await ctx.table.get(datasets, listed)
    if (!dataset || dataset.status === 'failed') return
    if (dataset.status === 'generating') return startAnew(ctx, dataset)
    if (dataset.status !== 'stale') await moveDataset(ctx, dataset, { status: 'stale' })
    await removeFiles(dataset, dataset.files)
  })

/** The running generation is not published, and the sweeper starts it again. Throws when it was published meanwhile. */
const startAnew = (ctx: Context, was: Stored<Dataset>): Promise<void> =>
  ctx.table.commit([datasets.replace({ ...was, attempt: 0, due_at: iso(ctx.now()) }, was)])
