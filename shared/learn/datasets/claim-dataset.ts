// Lets one worker at a time work on a dataset. A later one takes over from one that died, and after three tries it is given up.
import type { Context } from '../../base/context.ts'
import { workLease } from '../../base/kernel/lease.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Dataset, datasets } from './dataset.ts'
import { moveDataset } from './move-dataset.ts'

/** Longer than the worker runs. */
const turns = workLease(datasets, 16 * 60_000, 3)

const WORKED_ON = { queued: 'generating', awaiting_upload: 'validating' } as const
const GIVEN_UP = { generating: 'failed', validating: 'invalid' } as const

/** Undefined when there is nothing to do, another worker is at it, or it was given up. */
export async function claimDataset(ctx: Context, was: Stored<Dataset>): Promise<Stored<Dataset> | undefined> {
  const { status, attempt } = was
  if (status === 'queued' || status === 'awaiting_upload')
    return moveDataset(ctx, was, { attempt: attempt + 1, ...turns.until(ctx.now()), status: WORKED_ON[status] })
  if (status !== 'generating' && status !== 'validating') return undefined
  if (turns.isHeld(was, ctx.now())) return undefined
  if (turns.isSpent(was)) {
    alarm('dataset_failed', new Error('a dataset could not be made'), { dataset: was.id })
    const error = { code: 'gave_up', message: 'The dataset could not be made. Request it again.' }
    await moveDataset(ctx, was, { status: GIVEN_UP[status], due_at: undefined, error })
    return undefined
  }
  return turns.take(ctx, was)
}
