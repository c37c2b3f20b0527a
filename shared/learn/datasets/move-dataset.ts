// Moves a dataset and commits the move with its evidence.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import { commitWith, type RecordOptions } from '../../ledger/evidence/artifact/record.ts'
import { type Dataset, type DatasetStatus, movedDataset } from './dataset.ts'

type Change = Partial<Omit<Dataset, 'status' | 'artifact' | 'updated_at'>> & { status: DatasetStatus }

/** Undefined when somebody else has changed the dataset meanwhile. Throws 409 for a move that its table does not allow. */
export async function moveDataset(
  ctx: Context,
  was: Stored<Dataset>,
  { status, ...change }: Change,
  options?: Pick<RecordOptions, 'measures'>,
): Promise<Stored<Dataset> | undefined> {
  const { item, write, transition } = movedDataset(ctx, was, status, { ...change, updated_at: iso(ctx.now()) })
  return (await isFirst(ctx.table.commit([write, ...commitWith(ctx, [transition], options)]))) ? item : undefined
}
