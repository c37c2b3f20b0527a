// Rules that every tenant has, and the rule about the burn rate of each objective. In test mode they notify nobody.
import type { Space } from '../../base/context.ts'
import { builtIn, burnRuleName } from '../definitions/definition.ts'
import type { AlertRule } from './rule.ts'
import type { Slo } from '../slos/slo.ts'

type Special = Partial<AlertRule> & Pick<AlertRule, 'kind' | 'severity'>

/** Defaults of a built-in rule. */
const ALWAYS = {
  enabled: true,
  window: '15m',
  for: '0m',
  resolve_after: '5m',
  auto_incident: false,
  auto_resolve: true,
  repeat_after: '4h',
  ack_timeout: '8h',
} as const

/** The rule of alerts that SLAs raise: it has no condition of its own, and its alerts end with the work. */
export const WORK_OVERDUE = 'work-overdue'

const RULES: Record<string, Special> = {
  'evidence-chain-broken': {
    kind: 'event',
    severity: 'critical',
    event_types: ['evidence.chain.verified'],
    where: { chain_valid: false },
    count: 1,
    auto_incident: true,
    auto_resolve: false,
  },
  'governance-p95': {
    kind: 'threshold',
    severity: 'high',
    metric: 'governance_latency',
    aggregation: 'p95',
    op: 'gt',
    threshold: 200,
    for: '5m',
  },
  'webhook-endpoint-error': { kind: 'event', severity: 'high', event_types: ['webhook.endpoint.error'], count: 1 },
  'approvals-overdue': {
    kind: 'threshold',
    severity: 'medium',
    metric: 'approvals_overdue',
    aggregation: 'sum',
    op: 'gte',
    threshold: 1,
    window: '1h',
  },
  [WORK_OVERDUE]: { kind: 'sla', severity: 'high', resolve_after: '0m' },
  'api-key-expiring': { kind: 'event', severity: 'medium', event_types: ['api_key.expiring'], count: 1 },
}

export function builtInRules(space: Space): AlertRule[] {
  const notify = notifiedIn(space)
  return Object.entries(RULES).map(([name, special]) => ({
    ...builtIn('rul', space, name),
    ...ALWAYS,
    notify,
    ...special,
  }))
}

/** Alerts of test mode notify nobody. */
function notifiedIn({ mode }: Space): AlertRule['notify'] {
  const isLive = mode === 'live'
  return { webhook: isLive, roles: isLive ? ['owner', 'admin'] : [], worker_ids: [], task: false }
}

/**
 * All rules that are looked at. Each objective is watched by a rule about its burn rate: the tenant's own where one names it, else
 * a built-in one.
 */
export function rulesInForce(space: Space, rules: readonly AlertRule[], slos: readonly Slo[]): AlertRule[] {
  const named = new Set(rules.flatMap(({ kind, slo_id }) => (kind === 'burn_rate' && slo_id ? [slo_id] : [])))
  return [...rules, ...slos.filter(({ id }) => !named.has(id)).map((slo) => burnRule(space, slo))]
}

const burnRule = (space: Space, { id, name }: Slo): AlertRule => ({
  ...builtIn('rul', space, burnRuleName(id)),
  ...ALWAYS,
  name: `${name}: error budget`,
  kind: 'burn_rate',
  slo_id: id,
  severity: 'critical',
  notify: notifiedIn(space),
})
