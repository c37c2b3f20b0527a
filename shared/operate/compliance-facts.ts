// What checks of compliance read of alerts, incidents, deliveries and objectives.
import type {
  AlertFact,
  AlertRuleFact,
  FactAsk,
  FactSources,
  IncidentFact,
  OptionalFacts,
  RequiredFacts,
} from '../base/ports/check-facts.ts'
import { canonicalJson } from '../base/lib/json.ts'
import { iso } from '../base/lib/clock.ts'
import { wholeRange } from '../base/table/whole.ts'
import { allOf } from './definitions/definitions.ts'
import { allRunbooks } from './runbooks/runbook.ts'
import { type Alert, ALERT_STATUSES, alerts as alertItems, alertsKey } from './alerts/alert.ts'
import { builtInRules } from './alerts/built-in-rules.ts'
import { type AlertRule, RULES } from './alerts/rule.ts'
import { firstId } from '../base/lib/ids.ts'
import { type Incident, incidents as incidentItems, incidentsKey } from './incidents/incident.ts'
import { asOf, DAY } from './metrics/state.ts'
import { ratioOf } from './metrics/indicators.ts'
import { readWindow } from './metrics/read-window.ts'
import { SLOS } from './slos/slo.ts'
import { errorBudgets } from './watch/error-budget.ts'

const MOST = 20_000

async function alerts({ ctx: { table, space }, since }: FactAsk): Promise<AlertFact[]> {
  const range = { index: 'gsi1', from: iso(since) } as const
  const found = await Promise.all(
    ALERT_STATUSES.map((status) => wholeRange(table, alertItems, { ...range, pk: alertsKey(space, status) }, MOST)),
  )
  return [...new Map(found.flat().map((alert) => [alert.id, alertFact(alert)])).values()]
}

/** The first move by somebody else than the service since it fired: a snooze that ends takes the acknowledgement away. */
function alertFact({ id, starts_at, history, resolved_at }: Alert): AlertFact {
  const answer = history.find(({ at, by, status }) => at >= starts_at && by !== 'system' && status !== 'firing')
  return { id, fired_at: starts_at, answered_at: answer?.at, ended_at: resolved_at }
}

async function alert_rules({ ctx }: FactAsk): Promise<AlertRuleFact[]> {
  const [rules, runbooks] = await Promise.all([allOf(ctx, RULES), allRunbooks(ctx)])
  const seeds = new Map(builtInRules(ctx.space).map((rule) => [rule.id, rule]))
  const books = new Set<string | undefined>(runbooks.map(({ id }) => id))
  return rules.map((rule) => {
    const seed = seeds.get(rule.id)
    const { id, severity, enabled, runbook_id } = rule
    const isCritical = seed?.severity === 'critical'
    return {
      id,
      severity,
      enabled,
      has_runbook: books.has(runbook_id),
      seed: isCritical ? { watches: conditionOf(rule) === conditionOf(seed) } : undefined,
    }
  })
}

/** The condition that a rule looks for. A tenant that changes it may have made the rule blind. */
const conditionOf = ({ kind, event_types, where, count, metric, aggregation, op, threshold, window }: AlertRule) =>
  canonicalJson({ kind, event_types, where, count, metric, aggregation, op, threshold, window })

/** An incident that is still open counts for so long, also in a shorter window. */
const OPEN_MS = 400 * 86_400_000

async function incidents({ ctx: { table, space }, now, since }: FactAsk): Promise<IncidentFact[]> {
  const from = firstId('inc', Math.min(since, now - OPEN_MS))
  const found = await wholeRange(table, incidentItems, { pk: incidentsKey(space), index: 'gsi1', from }, MOST)
  return found.map(incidentFact)
}

const incidentFact = (incident: Incident): IncidentFact => ({
  id: incident.id,
  status: incident.status,
  detected_at: incident.detected_at,
  resolved_at: incident.resolved_at,
  breach: incident.personal_data_breach,
  notified_at: incident.notified_at,
  root_cause: (incident.root_cause ?? '').trim() !== '',
  follow_ups: incident.follow_up_task_ids.length,
})

const DELIVERED_DAYS = 28

/** Deliveries to endpoints that were deleted count, too. */
async function deliveries({ ctx }: FactAsk): Promise<RequiredFacts['deliveries']> {
  const until = await asOf(ctx)
  const counts = await readWindow(ctx, { from: until - DELIVERED_DAYS * DAY, until })
  const { good, total } = ratioOf(counts, { metric: 'webhook_delivery' })
  return { ended: total, delivered: good }
}

async function slos({ ctx }: FactAsk): Promise<OptionalFacts['slos']> {
  const all = await allOf(ctx, SLOS)
  const budgets = await errorBudgets(ctx, all)
  return all.map(({ id, sli }, i) => ({ id, indicator: sli.metric, status: budgets[i]?.status ?? 'no_data' }))
}

export const operateFacts = { alert_rules, alerts, deliveries, incidents, slos } satisfies Partial<FactSources>
