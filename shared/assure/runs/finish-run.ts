// Ends a run whose results are all stored, and reports it: its artifact and its events.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { checkDays, withResults } from '../checks/check-result.ts'
import { type CheckRun, resultsHash, type RunResult } from '../checks/run.ts'
import { readStates } from '../frameworks/state.ts'
import { storeMoves } from '../frameworks/store-moves.ts'
import { type Assessed, assessed, concernOf } from './evaluate.ts'
import { endRun } from './claim-run.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { CHECKS } from '../catalogue/catalogue.ts'
import { aboutFramework } from '../catalogue/controls.ts'
import { CHECK_STATUSES } from '../checks/check.ts'
import { figuresOf } from '../frameworks/posture.ts'

/**
 * Ends a run whose results are all stored: the moves of controls, then in one commit its end, the day, its artifact and events, and
 * the run that follows. May be repeated after a crash: moves that are stored are not stored again.
 */
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
    was ? checkDays.replace(day, was, new ChangedMeanwhile()) : checkDays.insert(day, new ChangedMeanwhile()),
  )
}

function evidenceOf(ctx: Context, run: CheckRun, all: Assessed): Write[] {
  if (!hasReport(run)) return []
  const artifact = newArtifact(ctx, {
    type: 'compliance.run.completed',
    subject: { type: 'check_run', id: run.id },
    data: completedFacts(run),
  })
  return commitWith(ctx, [{ artifact, events: completedEvents(run, all) }])
}

const hasChanged = ({ status, previous_status }: RunResult): boolean => status !== previous_status

/** False for an hourly run without a change: the chain would grow by a line each hour. */
const hasReport = ({ trigger, scope, results }: CheckRun): boolean =>
  trigger !== 'schedule' || scope === 'full' || results.some(hasChanged)

/** The data of its artifact. */
function completedFacts({ id, trigger, scope, requested_by, catalogue_hash, results }: CheckRun) {
  const counts = CHECK_STATUSES.map((status) => [status, results.filter((one) => one.status === status).length])
  return {
    run_id: id,
    trigger,
    scope,
    requested_by: `${requested_by.type}:${requested_by.id}`,
    catalogue_hash,
    ...Object.fromEntries(counts),
    results_sha256: resultsHash(results),
  }
}

/** A scheduled run reports changes only and, if it was of all checks, the status of each framework. */
function completedEvents(run: CheckRun, all: Assessed): EventDraft[] {
  const isScheduled = run.trigger === 'schedule'
  const reported = isScheduled ? run.results.filter(hasChanged) : run.results
  const summaries = isScheduled && run.scope === 'full' ? all : []
  return [
    ...reported.map((result) => checkEvent(run, result, all)),
    ...summaries.map((one) => frameworkEvent(run, one)),
  ]
}

function checkEvent({ id: run_id }: CheckRun, result: RunResult, all: Assessed): EventDraft {
  const { check_id, status, previous_status, failing_count } = result
  return {
    type: 'compliance.check.completed',
    subject: { id: `${run_id}/${check_id}`, version: 1 },
    data: {
      run_id,
      check_id,
      name: CHECKS.find(({ id }) => id === check_id)?.title ?? check_id,
      status,
      previous_status,
      ...concernOf(all, check_id),
      failing_count,
    },
  }
}

function frameworkEvent({ id: run_id, results }: CheckRun, { state, controls }: Assessed[number]): EventDraft {
  const { framework_id } = state
  const { status, controls_met, controls_total } = figuresOf(state, controls)
  const asked = CHECKS.filter(({ controls: mapped }) => mapped[framework_id]).map(({ id }) => id)
  return {
    type: 'compliance.check.completed',
    subject: { id: `${run_id}/${framework_id}`, version: 1 },
    data: {
      run_id,
      check_id: `framework:${framework_id}`,
      name: aboutFramework(framework_id).name,
      status: status === 'compliant' ? 'pass' : 'fail',
      previous_status: null,
      framework_ids: [framework_id],
      control_ids: [],
      controls_met,
      controls_total,
      failing_count: results.filter(({ check_id, status: one }) => one === 'fail' && asked.includes(check_id)).length,
    },
  }
}
