// Counts a held action in the transaction in which it starts.
import type { Context } from '../../base/context.ts'
import type { Following, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, wroteNothing } from '../../base/kernel/retry.ts'
import { Contended } from '../../base/table/table.ts'
import type { Execution } from '../executions/execution.ts'
import { limitUseWrites, type LimitCheck, learnFrom, release, reserve } from '../limits/counting.ts'
import { Failure } from '../../base/lib/failure.ts'

type Counted = {
  writes: Write[]
  /** The note of the execution on its counters. */
  counted: string | undefined
  /** Throws `ChangedMeanwhile` when the counters have changed since the decision. */
  commit: (writes: readonly (Write | Following)[], ref?: string) => Promise<void>
}

/** Reserves first on counters where this container has met others. If the action then does not start, the share is given back. */
export async function limitUseOf(
  ctx: Context,
  { execution, counting }: { execution: Execution; counting?: LimitCheck | undefined },
): Promise<Counted> {
  if (!counting) {
    return { writes: [], counted: execution.counted, commit: (writes, ref) => ctx.table.commit(writes, ref) }
  }
  const { reserved } = counting
  const failed = async (thrown: unknown): Promise<never> => {
    const error = learnFrom(ctx, thrown)
    if (wroteNothing(error)) await release(ctx, reserved)
    throw error instanceof Contended ? new ChangedMeanwhile() : error
  }
  await reserve(ctx, counting, 'claim').catch(failed)
  const tally = limitUseWrites(ctx, counting, 'claim')
  const texts = [execution.counted, tally.counted].filter((text) => text !== undefined)
  return {
    writes: tally.writes,
    counted: texts.length > 0 ? texts.join(' ') : undefined,
    commit: (writes, ref) => ctx.table.commit(writes, ref).catch(failed),
  }
}

/** Thrown by the commit of an action under a grant that meanwhile ended, or whose approver lost the right to give it. */
export class GrantEnded extends Failure {
  constructor() {
    super('conflict', 'The grant has ended. Repeat your request.')
  }
}
