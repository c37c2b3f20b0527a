// Stores the execution of an action that is counted, however many others count at the same time.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { Contended } from '../../base/table/table.ts'
import type { Submission, Submitted } from '../executions/submission.ts'
import { learnFrom, noteUnused, Recount, reserve } from '../limits/counting.ts'

type Store = (ctx: Context, submission: Submission) => Promise<Submitted>

/** How often one request is decided on. */
const ROUNDS_MAX = 3
const COLLISIONS_MAX = 8

const NOT_RUN: readonly string[] = ['rejected', 'pending_approval']

const busy = () =>
  new Failure(
    'unavailable',
    'Too many actions are counted at once. Nothing was changed. Repeat the request in a second.',
    {
      code: 'busy',
      retryAfterSeconds: 1,
    },
  )

/** Decides anew when a counter has changed, and reserves where others count in the same moment. */
export async function submitCounted(ctx: Context, first: Submission, store: Store): Promise<Submitted> {
  let submission = first
  let collisions = 0
  for (let round = 1; ;) {
    try {
      return await attempt(ctx, submission, store)
    } catch (thrown) {
      const error = learnFrom(ctx, thrown)
      if (error instanceof Contended) collisions += 1
      else if (!(error instanceof Recount)) throw error
      else round += 1
      const isBusy = collisions >= COLLISIONS_MAX || round > ROUNDS_MAX
      if (isBusy && first.counting) noteUnused(first.counting)
      if (isBusy) throw busy()
      if (error instanceof Recount) submission = { ...submission, ...(await submission.again()) }
    }
  }
}

async function attempt(ctx: Context, submission: Submission, store: Store): Promise<Submitted> {
  const { counting, decision } = submission
  if (counting) await reserve(ctx, counting, decision.outcome)
  const submitted = await store(ctx, submission)
  if (counting && NOT_RUN.includes(submitted.execution.status)) noteUnused(counting)
  return submitted
}
