// What a run that has ended tells. Pure.
import type { EventDraft } from '../../ledger/events/event.ts'
import { CHECKS } from '../catalogue/catalogue.ts'
import { aboutFramework } from '../catalogue/controls.ts'
import { CHECK_STATUSES } from '../checks/check.ts'
import { type CheckRun, resultsHash, type RunResult } from '../checks/run.ts'
import { figuresOf } from '../frameworks/posture.ts'
import { type Assessed, concernOf } from './concern.ts'

const hasChanged = ({ status, previous_status }: RunResult): boolean => status !== previous_status

/** An hourly run that found what was known leaves nothing: the chain would grow by a line each hour. */
export const isTold = ({ trigger, scope, results }: CheckRun): boolean =>
  trigger !== 'schedule' || scope === 'full' || results.some(hasChanged)

/** The data of its artifact. */
export function completedFacts({ id, trigger, scope, requested_by, catalogue_hash, results }: CheckRun) {
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

/** Of a scheduled run only what has changed and, of one of all checks, how each framework stands. */
export function completedEvents(run: CheckRun, all: Assessed): EventDraft[] {
  const isScheduled = run.trigger === 'schedule'
  const told = isScheduled ? run.results.filter(hasChanged) : run.results
  const summaries = isScheduled && run.scope === 'full' ? all : []
  return [...told.map((result) => checkEvent(run, result, all)), ...summaries.map((one) => frameworkEvent(run, one))]
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
