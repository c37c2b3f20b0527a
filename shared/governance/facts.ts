// The closed list of facts that policies may read, and how they are gathered. A fact that does not exist stays absent: a
// condition that reads it is unknown, and unknown tightens.
import type { Json } from '../lib/canonical-json.ts'
import type { Endpoint, Node } from '../manifests/manifest.ts'
import type { Classification } from './classify.ts'
import { KIND_NAMES, type Tier, TIERS } from './kinds.ts'
import type { Signals } from './signals.ts'

export type FactType = 'string' | 'enum' | 'number' | 'tier' | 'boolean' | 'ip' | 'list' | 'hosts' | 'any'

/** `optional`: many actions have none, so a restrictive policy that reads it fires on all of those. */
type FactRow = { type: FactType; values?: readonly string[]; optional?: true }

export const PLANS = ['free', 'team', 'business', 'enterprise'] as const
export const PRINCIPAL_TYPES = ['user', 'api_key', 'client'] as const

export const FACTS = {
  'action.id': { type: 'string' },
  'action.kind': { type: 'enum', values: KIND_NAMES },
  'action.base_tier': { type: 'tier', values: TIERS },
  'action.risk': { type: 'number' },
  'action.confidence': { type: 'number' },
  'action.reversible': { type: 'boolean' },
  'action.idempotent': { type: 'boolean' },
  'node.id': { type: 'string' },
  'node.category': { type: 'string', optional: true },
  'node.owner': { type: 'string', optional: true },
  'node.version': { type: 'string' },
  'node.listing_tier': { type: 'string' },
  'principal.type': { type: 'enum', values: PRINCIPAL_TYPES },
  'principal.id': { type: 'string' },
  'principal.roles': { type: 'list' },
  'agent.id': { type: 'string', optional: true },
  'agent.trust': { type: 'number', optional: true },
  'agent.executions': { type: 'number', optional: true },
  'request.tier': { type: 'tier', values: TIERS, optional: true },
  'request.require_approval': { type: 'boolean' },
  'request.persona_key': { type: 'string', optional: true },
  'request.decision_contract_id': { type: 'number', optional: true },
  'request.ip': { type: 'ip' },
  'request.hour_utc': { type: 'number' },
  'request.weekday_utc': { type: 'number' },
  'signals.amount': { type: 'number', optional: true },
  'signals.currency': { type: 'string', optional: true },
  'signals.recipients': { type: 'number' },
  'signals.external_domains': { type: 'hosts' },
  'signals.bulk_count': { type: 'number' },
  'signals.wildcard': { type: 'boolean' },
  'signals.sql_write': { type: 'boolean' },
  'signals.shell': { type: 'boolean' },
  'signals.secrets': { type: 'boolean' },
  'signals.pii': { type: 'list' },
  'tenant.plan': { type: 'enum', values: PLANS },
} as const satisfies Record<string, FactRow>

export type FactName = keyof typeof FACTS

type ValueOf = {
  string: string
  enum: string
  number: number
  tier: Tier
  boolean: boolean
  ip: string
  list: readonly string[]
  hosts: readonly string[]
}

export type NamedFacts = { [F in FactName]?: ValueOf[(typeof FACTS)[F]['type']] | undefined }

export type Facts = {
  named: NamedFacts
  /** Declared by the caller: `policy_context.context`. Only its scalars are facts. */
  context?: { [name: string]: Json | undefined } | undefined
  /** Absent when it was erased. */
  payload?: Json | undefined
}

const ROWS = new Map<string, FactRow>(Object.entries(FACTS))
const OPEN_FIELDS = /^(?:context\.[^.]|payload\.\/)/

/** What a field of a condition is; undefined for a field that does not exist. */
export function factRow(field: string): FactRow | undefined {
  return OPEN_FIELDS.test(field) ? { type: 'any', optional: true } : ROWS.get(field)
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Hour 0..23 and weekday 1..7 (Monday 1) of an instant in ms, UTC. The first of January 1970 was a Thursday. */
export const calendarOf = (at: number) => ({
  hour: Math.floor((at % DAY_MS) / HOUR_MS),
  weekday: ((Math.floor(at / DAY_MS) + 3) % 7) + 1,
})

export type Circumstances = {
  node: Pick<Node, 'id' | 'category' | 'owner' | 'version'>
  endpoint: Endpoint
  listing_tier: string
  classification: Classification
  principal: { type: (typeof PRINCIPAL_TYPES)[number]; id: string; roles: readonly string[] }
  agent?: { id: string; trust?: number | undefined; executions?: number | undefined } | undefined
  request: {
    /** Milliseconds. */
    at: number
    tier?: Tier | undefined
    require_approval?: boolean | undefined
    persona_key?: string | undefined
    decision_contract_id?: number | undefined
    ip?: string | undefined
  }
  plan: (typeof PLANS)[number]
  context?: Facts['context']
  payload?: Json | undefined
}

const signalFacts = ({ pii, external_domains, ...signals }: Signals) => ({
  'signals.amount': signals.amount,
  'signals.currency': signals.currency,
  'signals.recipients': signals.recipients,
  'signals.external_domains': external_domains,
  'signals.bulk_count': signals.bulk_count,
  'signals.wildcard': signals.wildcard,
  'signals.sql_write': signals.sql_write,
  'signals.shell': signals.shell,
  'signals.secrets': signals.secrets,
  'signals.pii': pii,
})

/** Gathers the facts of one request. Without a payload its signals are absent too. */
export function factsOf({ node, endpoint, classification, principal, agent, request, ...rest }: Circumstances): Facts {
  const { hour, weekday } = calendarOf(request.at)
  const named: NamedFacts = {
    'action.id': endpoint.action_id,
    'action.kind': classification.kind,
    'action.base_tier': classification.base,
    'action.risk': classification.risk,
    'action.confidence': classification.confidence,
    'action.reversible': endpoint.undo_action_id !== undefined && endpoint.annotations?.irreversible !== true,
    'action.idempotent': endpoint.idempotency === true,
    'node.id': node.id,
    'node.category': node.category,
    'node.owner': node.owner,
    'node.version': node.version,
    'node.listing_tier': rest.listing_tier,
    'principal.type': principal.type,
    'principal.id': principal.id,
    'principal.roles': principal.roles,
    'agent.id': agent?.id,
    'agent.trust': agent?.trust,
    'agent.executions': agent?.executions,
    'request.tier': request.tier,
    'request.require_approval': request.require_approval === true,
    'request.persona_key': request.persona_key,
    'request.decision_contract_id': request.decision_contract_id,
    'request.ip': request.ip,
    'request.hour_utc': hour,
    'request.weekday_utc': weekday,
    'tenant.plan': rest.plan,
    ...(rest.payload !== undefined && signalFacts(classification.inspection.signals)),
  }
  return { named, context: rest.context, payload: rest.payload }
}
