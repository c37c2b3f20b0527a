import type { AlertFact, AlertRuleFact, FactAsk } from '../../base/ports/facts.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { iso } from '../../base/lib/clock.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { allOf } from '../definitions/definitions.ts'
import { allRunbooks } from '../runbooks/find-runbook.ts'
import { type Alert, ALERT_STATUSES, alerts as items, alertsKey } from './alert.ts'
import { builtInRules } from './built-in-rules.ts'
import { type AlertRule, RULES } from './rule.ts'

const MOST = 20_000

export async function alerts({ ctx: { table, space }, since }: FactAsk): Promise<AlertFact[]> {
  const range = { index: 'gsi1', from: iso(since) } as const
  const found = await Promise.all(
    ALERT_STATUSES.map((status) => wholeRange(table, items, { ...range, pk: alertsKey(space, status) }, MOST)),
  )
  return [...new Map(found.flat().map((alert) => [alert.id, factOf(alert)])).values()]
}

/** The first move by somebody else than the service since it fired: a snooze that ends takes the acknowledgement away. */
function factOf({ id, starts_at, history, resolved_at }: Alert): AlertFact {
  const answer = history.find(({ at, by, status }) => at >= starts_at && by !== 'system' && status !== 'firing')
  return { id, fired_at: starts_at, answered_at: answer?.at, ended_at: resolved_at }
}

export async function alert_rules({ ctx }: FactAsk): Promise<AlertRuleFact[]> {
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

/** What a rule looks for. A tenant that changes it may have made it blind. */
const conditionOf = ({ kind, event_types, where, count, metric, aggregation, op, threshold, window }: AlertRule) =>
  canonicalJson({ kind, event_types, where, count, metric, aggregation, op, threshold, window })
