// A tenant in memory whose checks are run: what it has done is put into the table, what else checks look at is given.
import { type ApiKey, keyInserts } from '../../../shared/identity/access/api-key.ts'
import { NEW_USER, users } from '../../../shared/identity/accounts/user.ts'
import { aboutFramework } from '../../../shared/assure/catalogue/controls.ts'
import type { FrameworkId } from '../../../shared/assure/catalogue/framework-ids.ts'
import { checkResults } from '../../../shared/assure/checks/check-result.ts'
import { requestRun } from '../../../shared/assure/checks/request-run.ts'
import { checkRuns } from '../../../shared/assure/checks/run.ts'
import { frameworks } from '../../../shared/assure/frameworks/framework.ts'
import { performRun } from '../../../shared/assure/runs/perform-run.ts'
import { Budget } from '../../../shared/assure/walk/walk-day.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import type { FactSources } from '../../../shared/base/ports/check-facts.ts'
import { retryWhenChanged } from '../../../shared/base/kernel/retry.ts'
import { Tenant, tenants } from '../../../shared/base/tenant/tenant.ts'
import { type Approval, approvals, type Vote } from '../../../shared/govern/approvals/approval.ts'
import { type Execution, executions } from '../../../shared/govern/executions/execution.ts'
import { firstId, ulid } from '../../../shared/base/lib/ids.ts'
import { randomBytes } from 'node:crypto'
import { foundedWorld, SPACE } from '../ledger/evidence/world.ts'
import { pending } from '../govern/approvals/make.ts'

export const DAY = 86_400_000
export const HOUR = 3_600_000
export const AGENT_KEY = 'key_01J9Z3K4M5N6P7Q8R9S0T1V2W3'
const MAKER = 'usr_maker'

/** Nothing is there, and nothing is wrong. */
export const NOTHING_THERE: FactSources = {
  policies: async () => [],
  actions: async () => [],
  nodes: async () => [],
  users: async () => [],
  leavers: async () => [],
  keys: async () => [],
  settings: async () => ({
    created_at: '2026-01-01T00:00:00.000Z',
    mfa_required: true,
    idle_s: 900,
    allowlist: { offered: true, rules: 1, open: false },
    sso: { offered: true, configured: true, verified_domains: 1, urls: [] },
  }),
  governance: async () => ({ pii_mode: 'detect' }),
  endpoints: async () => [],
  deliveries: async () => ({ ended: 0, delivered: 0 }),
  oldest_files: async () => [],
  oldest_payloads: async () => [],
  erasures: async () => [],
  audit_reads: async () => [],
  submitted: async () => [],
  chain: async () => ({
    size: 0,
    broken: false,
    last_full: null,
    completeness: null,
    checkpoint: null,
    oldest_unsigned_at: null,
  }),
  kms: async () => ({ managed_by: 'service', state: 'Enabled', rotates: true }),
  backups: async () => null,
}

export type CheckedSpace = Awaited<ReturnType<typeof checkedSpace>>

/** The clock stands at 2026-11-20T10:00Z; the tenant is a year old. */
export async function checkedSpace() {
  const it = await foundedWorld()
  const { tenant_id } = SPACE
  const created_at = iso(it.clock.now() - 365 * DAY)
  const person = {
    ...NEW_USER,
    id: MAKER,
    tenant_id,
    username: MAKER,
    email: null,
    email_verified: false,
    name: 'Maker',
  }
  await it.ctx.table.commit([
    tenants.insert(Tenant.parse({ id: tenant_id, name: 'Sample', plan: 'enterprise', status: 'active', created_at })),
    users.insert({
      ...person,
      roles: ['owner'],
      status: 'active',
      source: 'register',
      created_at,
      updated_at: created_at,
    }),
    ...keyInserts(agentKey(created_at)),
  ])
  const sources = { ...NOTHING_THERE }
  const commit = it.ctx.table.commit.bind(it.ctx.table)
  return {
    ...it,
    /** Replace what a test is about. */
    sources,
    enable: (framework_id: FrameworkId = 'soc2', over: object = {}) =>
      commit([frameworks.insert({ ...enabled(framework_id, it.clock.now()), ...over })]),
    /** As the caller of a run does. */
    ask: (asked: Partial<Parameters<typeof requestRun>[1]> = {}) =>
      retryWhenChanged(async () => {
        const { run, writes, enqueue } = await requestRun(it.ctx, { trigger: 'manual', scope: 'full', ...asked })
        if (writes.length > 0) await commit(writes)
        await enqueue()
        return run
      }),
    /** `items`: how many one message may count. */
    perform: (id: string, items = 25_000) => performRun(it.ctx, id, sources, new Budget(items)),
    run: async (id: string) => it.ctx.table.get(checkRuns, { ...SPACE, id }),
    result: async (check_id: string) => it.ctx.table.get(checkResults, { ...SPACE, check_id }),
    store: (execution: Execution, approval?: Approval) =>
      commit([executions.insert(execution), ...(approval ? [approvals.insert(approval)] : [])]),
    later: (ms: number) => it.clock.moveTo(it.clock.now() + ms),
  }
}

const agentKey = (created_at: string): ApiKey => ({
  id: AGENT_KEY,
  tenant_id: SPACE.tenant_id,
  name: 'agent',
  kind: 'live',
  scopes: ['agent:execute'],
  cap: [],
  hint: '',
  digest: 'digest',
  service: true,
  created_by: MAKER,
  seen_by: [],
  created_at,
  expires_at: created_at,
})

const enabled = (framework_id: FrameworkId, now: number) => ({
  ...SPACE,
  framework_id,
  enabled: true,
  enabled_at: iso(now),
  scope: {},
  evidence_validity_days: 180,
  window_days: 90,
  catalogue_version: aboutFramework(framework_id).version,
})

export const idAt = (at: number): string => `exe_${ulid(at, randomBytes)}`
/** The smallest id of an instant. */
export const firstIdAt = (at: number): string => firstId('exe', at)

/** An action that ran by itself at an instant (ms), unless told otherwise. */
export function executionAt(at: number, over: object = {}): Execution {
  return {
    ...SPACE,
    id: idAt(at),
    status: 'executed',
    node_id: 'crm.contacts.editor',
    action_id: 'get_contact',
    version: '1.0.0',
    manifest_sha256: 'a',
    requested_by: { type: 'api_key', id: AGENT_KEY },
    persons: [MAKER],
    trace_id: 'trace',
    correlation_id: 'trace',
    asked: {},
    routing: routing('AUTO'),
    evaluations: '[]',
    policy_set_version: 'sha256:b',
    latency_ms: 1,
    retries: 0,
    payload_commitment: 'c',
    executed_at: iso(at),
    artifacts: [{ artifact_id: 'art_1', type: 'protocol.executed', hash: 'sha256:d', at: iso(at) }],
    ...over,
  }
}

export const routing = (tier: 'AUTO' | 'SOFT' | 'HARD', ...signals: string[]): string =>
  JSON.stringify({
    strategy: 'manifest',
    tier,
    kind: 'delete',
    confidence: 1,
    risk: 80,
    reasons: signals.map((signal) => ({ signal })),
  })

const voteOf = (id: string, at: string): Vote => ({
  by: { type: 'user', id },
  persons: [id],
  groups: ['any'],
  decision: 'approve',
  at,
  stage: 0,
})

/** A HARD action asked for at `at` (ms), approved by these people and run a minute later. */
export function approvedAt(at: number, voters: readonly string[] = ['usr_other'], over: Partial<Approval> = {}) {
  const decided_at = iso(at + 60_000)
  const approval: Approval = {
    ...pending(SPACE),
    id: `apr_${idAt(at).slice(4)}`,
    requested_at: iso(at),
    persons: [MAKER],
    status: 'approved',
    decided_at,
    consumed_at: decided_at,
    votes: voters.map((id) => voteOf(id, decided_at)),
    ...over,
  }
  const { id, expires_at, action_digest } = approval
  const execution = executionAt(at, {
    action_id: 'delete_contact',
    routing: routing('HARD', 'verb'),
    held: { id, expires_at, action_digest, stages: [] },
    executed_at: decided_at,
  })
  return { execution, approval: { ...approval, request_id: execution.id } }
}
