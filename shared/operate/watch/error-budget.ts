import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { openAlerts } from '../alerts/open-alerts.ts'
import { rulesInForce } from '../alerts/burn-rules.ts'
import { RULES } from '../alerts/rule.ts'
import { allOf } from '../definitions/definitions.ts'
import type { Defined } from '../definitions/definition.ts'
import { asOf } from '../metrics/as-of.ts'
import { watchState } from './watch-state.ts'
import { budgetOf, projectionMinutes, SLO_STATUSES, statusOf } from '../slos/budget.ts'
import { countsOver, WindowReader } from '../slos/counts.ts'
import { filterPrefix } from '../slos/filtered.ts'
import { objectiveOf, type Slo } from '../slos/slo.ts'

export const ErrorBudget = z.object({
  slo_id: z.string(),
  name: z.string(),
  target_percent: z.number(),
  budget_remaining_percent: z.number(),
  budget_consumed_percent: z.number(),
  projected_burn_rate: z.number(),
  measurement_window: z.string(),
  current_value: z.number().nullable(),
  status: z.enum(SLO_STATUSES),
  total_events: z.int(),
  bad_events: z.int(),
  allowed_bad_events: z.number(),
  projected_exhaustion_at: z.string().nullable(),
  alerts_firing: z.array(z.string()),
  counted_since: z.string().nullable(),
  as_of: z.string(),
})

/** Reads windows and open alerts once for any number of objectives. */
export async function errorBudgets(
  ctx: Context,
  slos: readonly Defined<Slo>[],
): Promise<z.input<typeof ErrorBudget>[]> {
  const [until, open, state, rules] = await Promise.all([
    asOf(ctx),
    openAlerts(ctx),
    watchState(ctx),
    allOf(ctx, RULES),
  ])
  const inForce = rulesInForce(ctx.space, rules, slos)
  const reader = new WindowReader(ctx, until)
  return Promise.all(
    slos.map(async (slo) => {
      const { id, name, target_percent, measurement_window, min_events, sli } = slo
      const objective = objectiveOf(slo)
      const spans = [objective.window_minutes, projectionMinutes(objective)]
      const budget = budgetOf(objective, await countsOver(reader, sli, spans))
      const watching = inForce.filter(({ slo_id }) => slo_id === id).map((rule) => rule.id)
      const alerts_firing = open.filter(({ rule_id }) => watching.includes(rule_id)).map(({ alert_id }) => alert_id)
      const { minutes_to_exhaustion, ...figures } = budget
      return {
        slo_id: id,
        name,
        target_percent,
        measurement_window,
        ...figures,
        status: statusOf(budget, { min_events, burning: alerts_firing.length > 0 }),
        projected_exhaustion_at: minutes_to_exhaustion === null ? null : laterThan(until, minutes_to_exhaustion),
        alerts_firing,
        counted_since: sli.filter ? (state.filters[filterPrefix(sli.filter)] ?? null) : null,
        as_of: iso(until),
      }
    }),
  )
}

/** Null where it lies beyond any date that a clock can name. */
function laterThan(from: number, minutes: number): string | null {
  const at = Math.round(from + minutes * 60_000)
  return at > 8_640_000_000_000_000 ? null : iso(at)
}
