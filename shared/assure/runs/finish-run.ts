import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { checkDays, withResults } from '../checks/check-result.ts'
import type { CheckRun } from '../checks/run.ts'
import { readStates } from '../frameworks/state.ts'
import { storeMoves } from '../frameworks/store-moves.ts'
import { completedEvents, completedFacts, isTold } from './completed.ts'
import { type Assessed, assessed } from './concern.ts'
import { endRun } from './end-run.ts'

/** All results are stored: what has moved with them, the day, and what the run tells. */
export async function finishRun(ctx: Context, run: Stored<CheckRun>): Promise<void> {
  const { id, scope } = run
  await storeMoves(ctx, scope === 'full' ? { id, ended_at: iso(ctx.now()) } : undefined)
  const all = assessed(await readStates(ctx))
  await endRun(ctx, run, {
    status: 'completed',
    writes: async (ended) => [...(await dayWrites(ctx, ended)), ...evidenceOf(ctx, ended, all)],
  })
}

async function dayWrites(ctx: Context, { results }: CheckRun): Promise<Write[]> {
  const days = await withResults(ctx, results)
  return days.map(({ was, day }) =>
    was ? checkDays.replace(day, was, new Overtaken()) : checkDays.insert(day, new Overtaken()),
  )
}

function evidenceOf(ctx: Context, run: CheckRun, all: Assessed): Write[] {
  if (!isTold(run)) return []
  const artifact = newArtifact(ctx, {
    type: 'compliance.run.completed',
    subject: { type: 'check_run', id: run.id },
    data: completedFacts(run),
  })
  return recorded(ctx, [{ artifact, events: completedEvents(run, all) }])
}
