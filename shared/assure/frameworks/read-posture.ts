import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { frameworkPosture, overallScore, trendDays } from './posture.ts'
import { NOTICE, type Posture } from './posture-view.ts'
import { type Point, points, pointsPartition } from './standing.ts'
import { type FrameworkState, isEnabled, readStates } from './state.ts'

/** Of the enabled frameworks, the core ones first. */
export async function readPosture(ctx: Context): Promise<Posture> {
  const now = ctx.now()
  const states = (await readStates(ctx, now)).filter(isEnabled)
  const frameworks = await Promise.all(states.map(async (state) => frameworkPosture(state, await pointsOf(ctx, state))))
  return { overall_score: overallScore(frameworks), frameworks, computed_at: iso(now), notice: NOTICE }
}

/** The overall score; null while no framework is enabled, which has none. */
export async function postureScore(ctx: Context): Promise<number | null> {
  const { frameworks, overall_score } = await readPosture(ctx)
  return frameworks.length === 0 ? null : overall_score
}

/** Of the last 30 days. */
export function pointsOf({ table }: Context, state: FrameworkState): Promise<Point[]> {
  const days = trendDays(state.now)
  return table.query(points, { pk: pointsPartition(state), from: days[0], to: days.at(-1) })
}
