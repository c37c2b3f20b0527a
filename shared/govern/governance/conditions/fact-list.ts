// The closed list of facts that policies may read. A condition on an absent fact is unknown. For unknown a policy that tightens
// fires, and one that loosens does not.
import type { Json } from '../../../base/lib/json.ts'
import { KIND_NAMES, type Tier, TIERS } from '../../../base/catalog/kinds.ts'

export type FactType = 'string' | 'enum' | 'number' | 'tier' | 'boolean' | 'ip' | 'time' | 'list' | 'hosts' | 'any'

/** `optional`: many actions lack the fact, so a restrictive policy that reads it fires on all of them. */
type FactRow = { type: FactType; values?: readonly string[]; optional?: true }

export const PLANS = ['free', 'team', 'business', 'enterprise'] as const
/** What a node says it is for. */
export const ENVIRONMENTS = ['production', 'staging', 'development', 'test'] as const
export const PRINCIPAL_TYPES = ['user', 'api_key', 'client'] as const

/** With which a target is called. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export const FACTS = {
  'action.id': { type: 'string' },
  'action.kind': { type: 'enum', values: KIND_NAMES },
  'action.base_tier': { type: 'tier', values: TIERS },
  'action.risk': { type: 'number' },
  'action.confidence': { type: 'number' },
  'action.reversible': { type: 'boolean' },
  'action.idempotent': { type: 'boolean' },
  'target.host': { type: 'string', optional: true },
  'target.method': { type: 'enum', values: METHODS, optional: true },
  'node.id': { type: 'string' },
  'node.category': { type: 'string', optional: true },
  'node.owner': { type: 'string', optional: true },
  'node.version': { type: 'string' },
  'node.listing_tier': { type: 'string' },
  'node.environment': { type: 'enum', values: ENVIRONMENTS, optional: true },
  'principal.type': { type: 'enum', values: PRINCIPAL_TYPES },
  'principal.id': { type: 'string' },
  'principal.roles': { type: 'list' },
  'agent.id': { type: 'string', optional: true },
  'agent.bound': { type: 'boolean' },
  'agent.trust': { type: 'number', optional: true },
  'agent.executions': { type: 'number', optional: true },
  'agent.hours_known': { type: 'number', optional: true },
  'request.tier': { type: 'tier', values: TIERS, optional: true },
  'request.require_approval': { type: 'boolean' },
  'request.persona_key': { type: 'string', optional: true },
  'request.decision_contract_id': { type: 'number', optional: true },
  'request.ip': { type: 'ip' },
  'request.country': { type: 'string', optional: true },
  'request.allow_listed': { type: 'boolean' },
  'request.time': { type: 'time' },
  'request.hour_utc': { type: 'number' },
  'request.weekday_utc': { type: 'number' },
  'request.repeated': { type: 'number' },
  'request.refused': { type: 'number' },
  'signals.amount': { type: 'number', optional: true },
  'signals.currency': { type: 'string', optional: true },
  'signals.recipients': { type: 'number' },
  'signals.recipient_domains': { type: 'hosts' },
  'signals.external_domains': { type: 'hosts' },
  'signals.url_hosts': { type: 'hosts' },
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
  /** Milliseconds. */
  time: number
  list: readonly string[]
  hosts: readonly string[]
}

/** Each declared fact as a member that must be there, so that a fact without a supplier is an error of types. Undefined: absent. */
export type SuppliedFacts = { [F in FactName]: ValueOf[(typeof FACTS)[F]['type']] | undefined }

export type NamedFacts = Partial<SuppliedFacts>

/** A caller whose credential is not bound to an agent. */
export type Unbound = {
  /** The id of the key or client, which may act for any agent. Absent for a person without a client, who acts for no agent. */
  credential?: string | undefined
  /** The agent that the request names. */
  stated?: string | undefined
}

export type Facts = {
  named: NamedFacts
  /** Set where no agent is bound to the credential. The facts `agent.*` are then absent. */
  unbound?: Unbound | undefined
  /** The caller's `policy_context.context`. Only its scalars are facts. */
  context?: { [name: string]: Json | undefined } | undefined
  /** Of the payload: what sums add. */
  amounts?: readonly number[] | undefined
  /** Absent when it was erased. */
  payload?: Json | undefined
}

const ROWS = new Map<string, FactRow>(Object.entries(FACTS))
const OPEN_FIELDS = /^(?:context\.[^.]|payload\.\/)/

/** The type of a condition's field; undefined for a field that does not exist. */
export function factRow(field: string): FactRow | undefined {
  return OPEN_FIELDS.test(field) ? { type: 'any', optional: true } : ROWS.get(field)
}
