// Each objective is watched by a rule about its burn rate: the tenant's own where one names it, else one that comes with it.
import type { Space } from '../../base/context.ts'
import { builtIn, burnRuleName } from '../definitions/definition.ts'
import type { Slo } from '../slos/slo.ts'
import { ALWAYS, notifiedIn } from './built-in-rules.ts'
import type { AlertRule } from './rule.ts'

/** All rules that are looked at. */
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
