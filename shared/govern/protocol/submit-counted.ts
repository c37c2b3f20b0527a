// Stores the execution of an action that is counted, however many others count at the same time.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { retry, wroteNothing } from '../../base/kernel/retry.ts'
import { Contended } from '../../base/table/table.ts'
import type { Submission, Submitted } from '../executions/submission.ts'
import { countedAt, learnFrom, Recount, release, reserve, type Stage } from '../limits/counting.ts'
import type { Reserved } from '../limits/weigh.ts'

type Store = (ctx: Context, submission: Submission) => Promise<Submitted>

/** How often one request is decided on. */
const ROUNDS_MAX = 3
const COLLISIONS_MAX = 8

const busy = () =>
  new Failure(
    'unavailable',
    'Too many actions are counted at once. Nothing was changed. Repeat the request in a second.',
    {
      code: 'busy',
      retryAfterSeconds: 1,
    },
  )

/** What was reserved for what then did not run is given back. */
export async function submitCounted(ctx: Context, first: Submission, store: Store): Promise<Submitted> {
  const reserved: Reserved = first.counting?.reserved ?? new Map()
  const { length } = ctx.table.committed
  try {
    const { submitted, kept } = await submitInRounds(ctx, first, store)
    await release(ctx, reserved, kept)
    return submitted
  } catch (error) {
    const isStored = ctx.table.committed.length > length
    if (!isStored && wroteNothing(error)) await release(ctx, reserved)
    throw error
  }
}

/** Decides anew when a counter has changed, and reserves where others count in the same moment. */
async function submitInRounds(ctx: Context, first: Submission, store: Store) {
  let submission = first
  const run = async () => {
    const { counting, decision } = submission
    if (counting) await reserve(ctx, counting, decision.outcome)
    const submitted = await store(ctx, submission)
    const stages: Stage[] = [decision.outcome, ...(submitted.execution.grant_id ? ['claim' as const] : [])]
    // An equal request that waits was counted when it was stored.
    return { submitted, kept: submitted.repeated ? undefined : counting && countedAt(counting, stages) }
  }
  const learning = () =>
    run().catch((error: unknown) => {
      throw learnFrom(ctx, error)
    })
  const decideAnew = async () => {
    submission = { ...submission, ...(await submission.again()) }
  }
  return retry(learning, [
    { is: (error) => error instanceof Contended, tries: COLLISIONS_MAX, spent: busy },
    { is: (error) => error instanceof Recount, tries: ROUNDS_MAX, pause: decideAnew, spent: busy },
  ])
}
