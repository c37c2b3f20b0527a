// Performs a run of checks: claims it, counts, evaluates each check, stores the results, and ends the run.
import type { Context } from '../../base/context.ts'
import { windowStart } from '../../base/lib/days.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import type { FactName, FactSources } from '../../base/ports/check-facts.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type CheckFacts, CHECKS } from '../catalogue/catalogue.ts'
import { enqueueRun } from '../checks/enqueue.ts'
import { type CheckRun, checkRuns, type RunScope } from '../checks/run.ts'
import { STATE_CHECKS } from '../checks/state-checks.ts'
import { type FrameworkState, isEnabled, readStates } from '../frameworks/state.ts'
import { Budget } from '../walk/walk-day.ts'
import { walkAudit } from '../walk/walk-audit.ts'
import { walkedFacts } from '../walk/counts.ts'
import { walkExecutions } from '../walk/walk-executions.ts'
import { claimRun, runTurns, takenOver } from './claim-run.ts'
import { assessed, concernOf, Evaluator } from './evaluate.ts'
import { finishRun } from './finish-run.ts'
import { type Judged, storeResults } from './store-results.ts'

/** How many executions and audit entries one message reads. */
const ITEMS_MAX = 25_000
const AT_ONCE = 8
/** Of checks that no enabled framework names. */
const WINDOW_DAYS = 90

/**
 * Performs a run, or continues one after a crash, from the last stored part. A run with more to count than one message may sends
 * another message for the rest. Does nothing when the run is over, or while another worker holds it; a worker that was overtaken
 * stops without an error.
 */
export async function performRun(
  ctx: Context,
  id: string,
  sources: FactSources,
  budget = new Budget(ITEMS_MAX),
): Promise<void> {
  const run = await claimRun(ctx, id)
  if (!run) return
  try {
    await goOn(ctx, run, { sources, budget })
  } catch (error) {
    if (error !== takenOver) throw error
  }
}

type With = { sources: FactSources; budget: Budget }

async function goOn(ctx: Context, run: Stored<CheckRun>, { sources, budget }: With): Promise<void> {
  const states = (await readStates(ctx)).filter(isEnabled)
  const checks = checksIn(run.scope).filter(({ id }) => !run.results.some(({ check_id }) => check_id === id))
  const sinceOf = windowsOf(states, ctx.now())
  const walked = await walk(ctx, run.id, { checks, sinceOf, budget })
  if (!walked) return goOnLater(ctx, run)
  const frameworks = async () => states.map(({ framework_id }) => framework_id)
  const evaluator = new Evaluator(ctx, { sources: { ...sources, ...walkedFacts(walked), frameworks }, sinceOf })
  const all = assessed(states)
  const judged = await inParallel(AT_ONCE, checks, async (check): Promise<Judged> => {
    return { check, result: await evaluator.evaluate(check), concern: concernOf(all, check.id) }
  })
  await finishRun(ctx, await storeResults(ctx, run, judged))
}

const checksIn = (scope: RunScope): readonly CheckFacts[] =>
  CHECKS.filter(({ id, every }) => scope === 'full' || (scope === 'hourly' ? every === 'hour' : scope.includes(id)))

type SinceOf = (check: CheckFacts) => number

/** The longest window of the frameworks that name the check. */
function windowsOf(states: readonly FrameworkState[], now: number): SinceOf {
  return ({ controls }) => {
    const days = states.flatMap(({ framework_id, setting }) =>
      controls[framework_id] && setting ? [setting.window_days] : [],
    )
    return windowStart(days.length > 0 ? Math.max(...days) : WINDOW_DAYS, now)
  }
}

type Needs = { checks: readonly CheckFacts[]; sinceOf: SinceOf; budget: Budget }

/** The counts that the checks need; undefined when there is more than a message may count. */
async function walk(ctx: Context, run_id: string, { checks, sinceOf, budget }: Needs) {
  const asking = (...names: FactName[]) =>
    checks.filter(({ id }) => STATE_CHECKS[id]?.facts.some((name) => names.includes(name)))
  const ofExecutions = asking('executions', 'violations')
  const since = Math.min(...ofExecutions.map(sinceOf))
  const days = ofExecutions.length === 0 ? [] : await walkExecutions(ctx, { run_id, since, budget })
  const months = asking('audit_actors', 'audit_entries').length === 0 ? [] : days && (await walkAudit(ctx, budget))
  return days && months && { days, months }
}

async function goOnLater(ctx: Context, was: Stored<CheckRun>): Promise<void> {
  const next: CheckRun = { ...was, ...runTurns.waiting(ctx.now() + 60_000) }
  await ctx.table.commit([checkRuns.replace(next, was, takenOver)])
  await enqueueRun(ctx.space, was.id)
}
