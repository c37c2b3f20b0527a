// A freeze must stop at once what was decided before it. Nobody can be asked at the commit without making all executions of a
// tenant wait for each other, so a decision is committed within two seconds of the read of the freezes, or made anew.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { retry } from '../../base/kernel/retry.ts'
import type { Following } from '../../base/table/entity.ts'
import type { Submission } from './submission.ts'

const FRESH_MS = 2_000
const TRIES = 3

class StaleDecision extends Failure {
  constructor() {
    super('unavailable', 'The decision took too long. Nothing was changed. Repeat your request.', {
      retryAfterSeconds: 1,
    })
  }
}

type Decided = Pick<Submission, 'read_at'>

/** Part of the first commit of an execution, which fails when the decision has become too old by then. */
export const freshDecision = (ctx: Context, decided: Decided): Following => ({
  following: async () => {
    mustBeFresh(ctx, decided)
    return []
  },
})

export function mustBeFresh(ctx: Context, { read_at }: Decided): void {
  if (ctx.now() - read_at > FRESH_MS) throw new StaleDecision()
}

/** Runs what commits a decision; with a new decision as long as it was too late. */
export const committedFresh = <T>(submission: Submission, run: (submission: Submission) => Promise<T>): Promise<T> =>
  retry(
    async (attempt) => run(attempt === 1 ? submission : { ...submission, ...(await submission.again()) }),
    [{ is: (error) => error instanceof StaleDecision, tries: TRIES }],
  )
