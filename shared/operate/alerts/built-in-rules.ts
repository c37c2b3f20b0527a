// Rules that every tenant has. In test mode they notify nobody.
import type { Space } from '../../base/context.ts'
import { builtIn, builtInId } from '../definitions/definition.ts'
import type { AlertRule } from './rule.ts'

type Special = Partial<AlertRule> & Pick<AlertRule, 'kind' | 'severity'>

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
  'api-key-expiring': { kind: 'event', severity: 'medium', event_types: ['api_key.expiring'], count: 1 },
}

export function builtInRules(space: Space): AlertRule[] {
  const isLive = space.mode === 'live'
  const notify = { webhook: isLive, roles: isLive ? ['owner', 'admin'] : [], task: false }
  return Object.entries(RULES).map(([name, special]) => ({
    ...builtIn('rul', space, name),
    ...ALWAYS,
    notify,
    ...special,
  }))
}

/** The rule that an objective has by itself, for each severity of its burn rate. */
export const burnRuleId = (space: Space, slo_id: string): string => builtInId('rul', space, `burn-rate:${slo_id}`)
