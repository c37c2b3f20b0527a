import type { FactSources } from '../base/ports/facts.ts'
import { alert_rules, alerts } from './alerts/facts.ts'
import { incidents } from './incidents/facts.ts'
import { deliveries } from './metrics/facts.ts'
import { slos } from './watch/facts.ts'

export const operateFacts = { alert_rules, alerts, deliveries, incidents, slos } satisfies Partial<FactSources>
