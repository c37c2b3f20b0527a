// The facts that compliance checks look at. Each layer that has facts reads them; the worker that runs the checks puts the readers together
// and is the only place that knows them all. Readers report facts, checks judge them. Times are ISO 8601, ids name things that people can
// look up. A reader that cannot read everything throws: half of the facts would pass for all of them.
import type { Context } from '../context.ts'

/** `since` (ms): facts about events reach back to it. Facts about what is there now have no window. */
export type FactAsk = { ctx: Context; now: number; since: number }

/** Facts that every deployment records. Facts of the tenant are the same in both modes; the others belong to the mode. */
export type RequiredFacts = {
  policies: PolicyFact[]
  actions: ActionFact[]
  nodes: NodeFact[]
  /** Of the tenant. */
  users: UserFact[]
  leavers: LeaverFact[]
  keys: KeyFact[]
  /** Of the tenant. */
  settings: SettingsFacts
  governance: { pii_mode: string }
  endpoints: EndpointFact[]
  /** Of the last 28 days: how many ended, and how many of them arrived. */
  deliveries: { ended: number; delivered: number }
  /** The oldest file that was made on request; it is removed after a time. */
  oldest_files: OldestFact[]
  /** Some of the oldest payloads whose time is over. */
  oldest_payloads: OldestFact[]
  /** Erasures that have not ended. */
  erasures: { id: string; requested_at: string }[]
  /** When people who may read the audit log last did. */
  audit_reads: { at: string; user_id: string }[]
  /** Evidence that is accepted and valid now. */
  submitted: { id: string; kind: string; collected_at: string }[]
  chain: ChainFacts
  /** Of the deployment. */
  kms: KmsFacts
  /** Of the deployment. `null`: the platform has none. */
  backups: BackupFacts | null
}

/** An enabled policy. */
export type PolicyFact = { id: string; updated_at: string }

/** An action of the latest version of a node; `id` is `<node>/<action>`. */
export type ActionFact = {
  id: string
  /** Its kind is known without a payload. */
  recognised: boolean
  /** The scope of a policy in force names it. */
  governed: boolean
  /** The URL that runs it; none where the caller or a connection of the tenant does. */
  target: string | undefined
}

/** The latest version of a node. `has_owner`: its owner is an active user or a group of the tenant. */
export type NodeFact = { id: string; has_owner: boolean }

/** A person who is not deleted. */
export type UserFact = {
  id: string
  status: string
  owner: boolean
  /** May change people, roles, policies or the security of the tenant. */
  privileged: boolean
  /** Has a confirmed second factor. */
  has_factor: boolean
  /** Can sign in through enforced single sign-on only. */
  sso_only: boolean
  created_at: string
  last_login_at: string | null
}

/** Somebody who was suspended or deleted more than a day ago, and the ids of credentials and work that still act for them. */
export type LeaverFact = { id: string; holds: string[] }

/** An active key. */
export type KeyFact = {
  id: string
  scopes: readonly string[]
  created_at: string
  expires_at: string
  last_used_at: string | undefined
}

/** `offered`: the plan has it. */
export type SettingsFacts = {
  created_at: string
  mfa_required: boolean
  /** 0: sessions have no idle limit. */
  idle_s: number
  /** `open`: together the rules let every IPv4 or every IPv6 address in. */
  allowlist: { offered: boolean; rules: number; open: boolean }
  sso: { offered: boolean; configured: boolean; verified_domains: number; urls: readonly string[] }
}

export type EndpointFact = {
  id: string
  status: string
  url: string
  secret_created_at: string
  /** Its last delivery used up all retries. */
  failing: boolean
  oldest_delivery: OldestFact | undefined
}

/** `until`: when it should be gone. */
export type OldestFact = { id: string; until: string }

export type ChainFacts = {
  size: number
  broken: boolean
  last_full: { at: string; valid: boolean } | null
  completeness: { at: string; complete: boolean } | null
  checkpoint: { at: string; size: number; opens: boolean } | null
  /** The oldest artifact that the newest checkpoint does not cover. */
  oldest_unsigned_at: string | null
}

/** The key that wraps the tenant's data keys. How a customer's own key rotates is not ours to see. */
export type KmsFacts = { managed_by: 'service' | 'customer'; state: string; rotates: boolean | null }

/** `lock_days`: how long what is put into the bucket of evidence cannot be removed. */
export type BackupFacts = { recovery: boolean; versions: boolean; lock: boolean; lock_days: number }

/** Facts of areas that a deployment may lack. */
export type OptionalFacts = {
  tasks: TaskFact[]
  alerts: AlertFact[]
  alert_rules: AlertRuleFact[]
  incidents: IncidentFact[]
  slos: { id: string; indicator: string; status: 'no_data' | 'breached' | 'at_risk' | 'healthy' }[]
  /** Of severity high or critical, in the window. */
  security_events: SecurityEventFact[]
  /** Approvals with an SLA that were decided or expired in the window. */
  sla_approvals: { id: string; met: boolean }[]
  models: ModelFact[]
  /** Made in the window. */
  datasets: { id: string; redacted: boolean; residual_findings: number }[]
  /** Updates of routing rules that were applied in the window. `traced`: the audit log has their entry. */
  routing: { id: string; traced: boolean }[]
  connections: ConnectionFact[]
}

/** Work of people: neither the commands of agents nor the votes on approvals. Open ones of any age, others of the window. */
export type TaskFact = {
  id: string
  kind: string
  status: string
  source_id: string | undefined
  opened_at: string
  /** When it was completed or cancelled. */
  ended_at: string | undefined
  /** People said how it ended. */
  resolved: boolean
}

/** An alert that fired in the window. */
export type AlertFact = {
  id: string
  fired_at: string
  /** When a person or key first answered it. */
  answered_at: string | undefined
  ended_at: string | undefined
}

export type AlertRuleFact = {
  id: string
  severity: string
  enabled: boolean
  /** It links a runbook that is there. */
  has_runbook: boolean
  /** The service made it, as critical; `watches`: it still looks for the same. */
  seed: { watches: boolean } | undefined
}

/** An incident of the window, or an open one. */
export type IncidentFact = {
  id: string
  status: string
  detected_at: string
  resolved_at: string | undefined
  breach: boolean
  notified_at: string | undefined
  root_cause: boolean
  follow_ups: number
}

export type SecurityEventFact = { id: string; at: string; action_taken: string }

/** A deployed version of a model. */
export type ModelFact = {
  id: string
  approved: boolean
  /** There is an earlier version to return to, or it is the first. */
  can_return: boolean
  /** With metrics of data that it was not trained on, and the id and hash of its dataset. */
  measured: boolean
}

export type ConnectionFact = {
  id: string
  active: boolean
  purpose: string | undefined
  data_categories: readonly string[]
  has_credential: boolean
  granted_scopes: readonly string[]
  declared_scopes: readonly string[]
}

/** Facts that a run counts itself, over the window of the check that asks. */
export type CountedFacts = {
  /** Executions, by the check that asks them. */
  executions: Readonly<Record<string, CountFact>>
  /** Executions of the window at which a policy of high or critical severity fired; `more`: how many are not named. */
  violations: { ids: readonly string[]; more: number }
  /** Entries of the audit log, by whether their actor is known. */
  audit_actors: CountFact
  /** Since the tenant began: artifacts that must have an entry, and entries that name one. `lost`: months that have fewer than before. */
  audit_entries: { artifacts: number; entries: number; lost: readonly string[] }
  /** Versions of policies and manifests made in the window. `traced`: the audit log has its entry. */
  versions: { id: string; traced: boolean }[]
  /** Enabled frameworks. */
  frameworks: readonly string[]
}

/** `failing_ids`: the 20 smallest, sorted. */
export type CountFact = Readonly<{
  numerator: number
  denominator: number
  failing_ids: readonly string[]
  failing_count: number
}>

export type Facts = RequiredFacts & OptionalFacts & CountedFacts
export type FactName = keyof Facts

type Readers<F> = { [K in keyof F]: (ask: FactAsk) => Promise<F[K]> }

/** A missing required reader does not compile; checks that need a missing optional one say so. */
export type FactSources = Readers<RequiredFacts> & Partial<Readers<OptionalFacts>>
