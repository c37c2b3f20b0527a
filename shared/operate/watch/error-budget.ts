// The error budgets of objectives as the API shows them, and what a look at the rules remembers until the next one.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { openAlerts } from '../alerts/alert.ts'
import { rulesInForce } from '../alerts/built-in-rules.ts'
import { RULES } from '../alerts/rule.ts'
import { allOf } from '../definitions/definitions.ts'
import { type Defined, operationsKey } from '../definitions/definition.ts'
import { asOf } from '../metrics/state.ts'
import { budgetOf, projectionMinutes, SLO_STATUSES, statusOf } from '../slos/budget.ts'
import { countsOver, filterPrefix, WindowReader } from '../slos/counts.ts'
import { objectiveOf, type Slo, SLOS } from '../slos/slo.ts'
import type { SloSummary } from '../../base/ports/rows.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { entity, type Stored } from '../../base/table/entity.ts'
import { dueAt } from '../../base/table/due.ts'

export const ErrorBudget = z.object({
  slo_id: z.string().describe('The objective.'),
  name: z.string().describe('A name for people.'),
  target_percent: z.number().describe('The share of good events that is aimed at.'),
  budget_remaining_percent: z
    .number()
    .describe('How much of the error budget is left; negative when more than all is used up.'),
  budget_consumed_percent: z.number().describe('How much of the error budget is used up.'),
  projected_burn_rate: z.number().describe('How fast the budget is used up now; 1 uses it up within its window.'),
  measurement_window: z.string().describe('The time over which events are counted.'),
  current_value: z.number().nullable().describe('Percent of good events; null without any.'),
  status: z.enum(SLO_STATUSES).describe('The current state.'),
  total_events: z.int().describe('Events in the window.'),
  bad_events: z.int().describe('Events in the window that were not good.'),
  allowed_bad_events: z.number().describe('So many events of the window may be bad.'),
  projected_exhaustion_at: z
    .string()
    .nullable()
    .describe('When nothing is left at the present rate; null when that does not come.'),
  alerts_firing: z.array(z.string()).describe('Open burn-rate alerts of the objective.'),
  counted_since: z.string().nullable().describe('Since when a filtered series is counted; null without a filter.'),
  as_of: z.string().describe('Everything before this time is counted.'),
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

/** How many objectives of the space are in which state now. */
export async function sloSummary(ctx: Context): Promise<SloSummary> {
  const budgets = await errorBudgets(ctx, await allOf(ctx, SLOS))
  const of = (wanted: string) => budgets.filter(({ status }) => status === wanted).length
  return { healthy: of('healthy'), at_risk: of('at_risk'), breached: of('breached'), no_data: of('no_data') }
}

/** What a look at the rules of a space remembers until the next one. */
export const WatchState = z.object({
  ...spaceMembers,
  /** Conditions that hold, but not yet for long enough: fingerprint and the first look at which they did. */
  pending: z.record(z.string(), z.string()),
  /** Filtered series and since when they are counted, by the beginning of their names. */
  filters: z.record(z.string(), z.string()),
  /** The end of the last measured minute at the last look. */
  looked_at: z.string(),
  /** When something may change without anything being counted. */
  next_look_at: z.string().optional(),
})
export type WatchState = z.output<typeof WatchState>

export const watchStates = entity({
  name: 'WATCH',
  unbound: 'bounded',
  schema: WatchState,
  key: (space: Space) => ({ pk: operationsKey(space), sk: 'WATCH' }),
  index: ({ next_look_at, tenant_id, mode }) => dueAt(next_look_at, `${tenant_id}.${mode}`),
})

/** `_v` is 0 before the first look. */
export async function watchState({ table, space }: Pick<Context, 'table' | 'space'>): Promise<Stored<WatchState>> {
  const stored = await table.get(watchStates, space)
  return stored ?? { ...space, pending: {}, filters: {}, looked_at: new Date(0).toISOString(), _v: 0 }
}
