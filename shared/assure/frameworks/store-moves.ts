// Stores the changes of statuses since the last look: after a run of checks, a decision on evidence, and when evidence
// expires. Statuses are computed when they are read, so a look that comes late delays the history and nothing else.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { aboutFramework } from '../catalogue/controls.ts'
import { assess } from './assess.ts'
import { reasonFor } from './control-views.ts'
import { figuresOf } from './posture.ts'
import { type FrameworkState, isEnabled, moves, points, readStates, type StatusRecord, statusRecords } from './state.ts'
import { frameworkChange } from './store-framework.ts'

/** A full run that has ended. */
type FullRun = { id: string; ended_at: string }

/** One transaction for each enabled framework. `run`: also stores the score of the day. It may be repeated. */
export const storeMoves = (ctx: Context, run?: FullRun): Promise<void> =>
  retryWhenChanged(async () => {
    for (const state of (await readStates(ctx)).filter(isEnabled)) {
      const writes = [...moveWrites(state, run), ...(run ? pointWrites(state, run) : [])]
      if (writes.length > 0) await ctx.table.commit(writes)
      if (run) await followCatalogue(ctx, state)
    }
  })

/** None when no status has changed. At most one for each control, and one. */
export function moveWrites(state: FrameworkState, run?: FullRun): Write[] {
  const { tenant_id, mode, framework_id, standing: was, now } = state
  const at = iso(now)
  const revision = (was?._v ?? 0) + 1
  const moved = assess(state).flatMap((one) => {
    const from = was?.statuses[one.key]?.status ?? 'not_assessed'
    return from === one.status ? [] : [{ from, one }]
  })
  if (moved.length === 0 && !run) return []
  const next: StatusRecord = {
    tenant_id,
    mode,
    framework_id,
    statuses: {
      ...was?.statuses,
      ...Object.fromEntries(moved.map(({ one }) => [one.key, { status: one.status, at }])),
    },
    last_run: run ?? was?.last_run,
  }
  return [
    was ? statusRecords.replace(next, was, new ChangedMeanwhile()) : statusRecords.insert(next, new ChangedMeanwhile()),
    ...moved.map(({ from, one }) => {
      const { key: control_key, status: to } = one
      const reason = reasonFor(state, one)
      return moves.insert({ tenant_id, mode, framework_id, control_key, revision, at, from, to, reason })
    }),
  ]
}

/** The score of the day of a full run; a later run of the day replaces it. */
function pointWrites(state: FrameworkState, { ended_at }: FullRun): Write[] {
  const { tenant_id, mode, framework_id } = state
  const { score, controls_met: met, controls_total: total } = figuresOf(state)
  const point = { tenant_id, mode, framework_id, date: ended_at.slice(0, 10) }
  return [points.update(point, { set: { ...point, score, met, total } })]
}

/** A framework whose catalogue has changed since its last full run says so. */
async function followCatalogue(ctx: Context, { framework_id, setting }: FrameworkState): Promise<void> {
  const { version: catalogue_version } = aboutFramework(framework_id)
  const change = setting && frameworkChange(ctx, setting, { ...setting, catalogue_version })
  if (change) await ctx.table.commit(change.writes)
}
