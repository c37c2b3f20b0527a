// Facts for checks. Each row is as good as it can be; a test spoils what it is about.
import type * as port from '../../../../../shared/base/ports/check-facts.ts'
import type { Finding } from '../../../../../shared/assure/checks/check.ts'
import { STATE_CHECKS } from '../../../../../shared/assure/checks/state-checks.ts'

export const NOW = Date.parse('2026-06-15T12:00:00.000Z')
/** The window begins 90 days before. */
export const SINCE = Date.parse('2026-03-17T00:00:00.000Z')

const DAY_MS = 86_400_000
const iso = (at: number) => new Date(at).toISOString()
export const ago = (days: number): string => iso(NOW - days * DAY_MS)
export const hoursAgo = (hours: number): string => iso(NOW - hours * 3_600_000)

export function judge(id: string, facts: Partial<port.Facts>): Finding {
  const check = STATE_CHECKS[id]
  if (!check) throw new Error(`there is no check ${id}`)
  return check.find(facts, { now: NOW, since: SINCE })
}

/** Where nothing was set up and nothing has happened. */
export const NOTHING = {
  policies: [],
  actions: [],
  nodes: [],
  users: [],
  leavers: [],
  keys: [],
  settings: {
    created_at: ago(400),
    mfa_required: false,
    idle_s: 0,
    allowlist: { offered: true, rules: 0, open: false },
    sso: { offered: true, configured: false, verified_domains: 0, urls: [] },
  },
  governance: { pii_mode: 'off' },
  endpoints: [],
  deliveries: { ended: 0, delivered: 0 },
  oldest_files: [],
  oldest_payloads: [],
  erasures: [],
  audit_reads: [],
  submitted: [],
  chain: {
    size: 0,
    broken: false,
    last_full: null,
    completeness: null,
    checkpoint: null,
    oldest_unsigned_at: null,
  },
  kms: { managed_by: 'service', state: 'Disabled', rotates: false },
  backups: null,
  tasks: [],
  alerts: [],
  alert_rules: [],
  incidents: [],
  slos: [],
  security_events: [],
  sla_approvals: [],
  models: [],
  datasets: [],
  routing: [],
  connections: [],
} satisfies Partial<port.Facts>

export const settings = (over: Partial<port.SettingsFacts>): port.SettingsFacts => ({ ...NOTHING.settings, ...over })

export const user = (id: string, over: Partial<port.UserFact> = {}): port.UserFact => ({
  id,
  status: 'active',
  owner: false,
  privileged: false,
  has_factor: true,
  sso_only: false,
  created_at: ago(200),
  last_login_at: ago(1),
  ...over,
})

export const key = (id: string, over: Partial<port.KeyFact> = {}): port.KeyFact => ({
  id,
  scopes: ['agent:execute'],
  created_at: ago(10),
  expires_at: ago(-80),
  last_used_at: ago(1),
  ...over,
})

export const endpoint = (id: string, over: Partial<port.EndpointFact> = {}): port.EndpointFact => ({
  id,
  status: 'active',
  url: 'https://receiver.example/hook',
  secret_created_at: ago(10),
  failing: false,
  oldest_delivery: undefined,
  ...over,
})

export const task = (id: string, over: Partial<port.TaskFact> = {}): port.TaskFact => ({
  id,
  kind: 'general',
  status: 'completed',
  source_id: undefined,
  opened_at: ago(40),
  ended_at: ago(38),
  resolved: true,
  ...over,
})

export const alert = (id: string, over: Partial<port.AlertFact> = {}): port.AlertFact => ({
  id,
  fired_at: hoursAgo(10),
  answered_at: hoursAgo(9.75),
  ended_at: hoursAgo(9),
  ...over,
})

export const rule = (id: string, over: Partial<port.AlertRuleFact> = {}): port.AlertRuleFact => ({
  id,
  severity: 'critical',
  enabled: true,
  has_runbook: true,
  seed: undefined,
  ...over,
})

export const incident = (id: string, over: Partial<port.IncidentFact> = {}): port.IncidentFact => ({
  id,
  status: 'resolved',
  detected_at: ago(30),
  resolved_at: ago(29),
  breach: false,
  notified_at: undefined,
  root_cause: true,
  follow_ups: 1,
  ...over,
})

export const connection = (id: string, over: Partial<port.ConnectionFact> = {}): port.ConnectionFact => ({
  id,
  active: true,
  purpose: 'Answer customers',
  data_categories: ['contact'],
  has_credential: true,
  granted_scopes: ['read'],
  declared_scopes: ['read', 'write'],
  ...over,
})

export const action = (id: string, over: Partial<port.ActionFact> = {}): port.ActionFact => ({
  id,
  recognised: true,
  governed: false,
  target: undefined,
  ...over,
})
