// Lets one worker at a time work on a dataset. A later one takes over from one that died, and after three tries it is given up.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { type Dataset, datasets } from './dataset.ts'
import { moveDataset } from './move-dataset.ts'

/** Longer than the worker runs. */
const LEASE_MS = 16 * 60_000
const ATTEMPTS_MAX = 3

const WORKED_ON = { queued: 'generating', awaiting_upload: 'validating' } as const
const GIVEN_UP = { generating: 'failed', validating: 'invalid' } as const

/** Undefined when there is nothing to do, another worker is at it, or it was given up. */
export async function claimDataset(ctx: Context, was: Stored<Dataset>): Promise<Stored<Dataset> | undefined> {
  const { status, attempt, due_at = '' } = was
  const lease = { attempt: attempt + 1, due_at: iso(ctx.now() + LEASE_MS) }
  if (status === 'queued' || status === 'awaiting_upload')
    return moveDataset(ctx, was, { ...lease, status: WORKED_ON[status] })
  if (status !== 'generating' && status !== 'validating') return undefined
  if (attempt > 0 && Date.parse(due_at) > ctx.now()) return undefined
  if (attempt >= ATTEMPTS_MAX) {
    alarm('dataset_failed', new Error('a dataset could not be made'), { dataset: was.id })
    const error = { code: 'gave_up', message: 'The dataset could not be made. Request it again.' }
    await moveDataset(ctx, was, { status: GIVEN_UP[status], due_at: undefined, error })
    return undefined
  }
  try {
    await ctx.table.commit([datasets.replace({ ...was, ...lease }, was)])
    return { ...was, ...lease, _v: was._v + 1 }
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined
    throw error
  }
}
