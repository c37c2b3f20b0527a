// Gathers the facts of one request, so that policies and receipts use the same values.
import { DAY_MS, HOUR_MS } from '../../base/lib/durations.ts'
import type { Json } from '../../base/lib/canonical-json.ts'
import { calledBy, hostName } from './called.ts'
import type { Endpoint, Node } from './endpoint.ts'
import type { Classification } from './classify.ts'
import type { Facts, NamedFacts, PLANS, PRINCIPAL_TYPES } from './fact-list.ts'
import type { Tier } from '../../base/catalog/kinds.ts'
import type { Signals } from './signals.ts'

/** Hour 0..23 and weekday 1..7 (Monday 1) of an instant in ms, UTC. The first of January 1970 was a Thursday. */
export const calendarOf = (at: number) => ({
  hour: Math.floor((at % DAY_MS) / HOUR_MS),
  weekday: ((Math.floor(at / DAY_MS) + 3) % 7) + 1,
})

export type Circumstances = {
  node: Pick<Node, 'id' | 'category' | 'owner' | 'version'>
  /** Absent where the one of the node does not count. */
  environment?: Node['environment']
  endpoint: Endpoint
  listing_tier: string
  classification: Classification
  principal: {
    type: (typeof PRINCIPAL_TYPES)[number]
    id: string
    /** The OAuth client through which a person acts. */
    client_id?: string | undefined
    /** Absent when they are unknown. */
    roles?: readonly string[] | undefined
  }
  /** `bound`: the credential names the agent. Otherwise only the request does. */
  agent?: { id: string; bound: boolean } | undefined
  /** Of the agent, key or client, whether or not an agent is bound to it. */
  standing?: { trust: number; executions: number; hours_known?: number | undefined } | undefined
  request: {
    /** Milliseconds. */
    at: number
    tier?: Tier | undefined
    require_approval?: boolean | undefined
    persona_key?: string | undefined
    decision_contract_id?: number | undefined
    ip?: string | undefined
    /** ISO 3166-1 alpha-2. */
    country?: string | undefined
    allow_listed?: boolean | undefined
    /** Seconds since the same was asked before, and since people rejected it; see approvals/repeats.ts. */
    repeated?: number | undefined
    refused?: number | undefined
  }
  plan: (typeof PLANS)[number]
  context?: Facts['context']
  payload?: Json | undefined
}

const signalFacts = (signals: Signals) => ({
  'signals.amount': signals.amount,
  'signals.currency': signals.currency,
  'signals.recipients': signals.recipients,
  'signals.recipient_domains': signals.recipient_domains,
  'signals.external_domains': signals.external_domains,
  'signals.url_hosts': signals.url_hosts,
  'signals.bulk_count': signals.bulk_count,
  'signals.wildcard': signals.wildcard,
  'signals.sql_write': signals.sql_write,
  'signals.shell': signals.shell,
  'signals.secrets': signals.secrets,
  'signals.pii': signals.pii,
})

const standingFacts = (standing: Circumstances['standing']) => ({
  'agent.trust': standing?.trust,
  'agent.executions': standing?.executions,
  'agent.hours_known': standing?.hours_known,
})

function requestFacts(request: Circumstances['request']) {
  const { hour, weekday } = calendarOf(request.at)
  return {
    'request.tier': request.tier,
    'request.require_approval': request.require_approval === true,
    'request.persona_key': request.persona_key,
    'request.decision_contract_id': request.decision_contract_id,
    'request.ip': request.ip,
    'request.country': request.country,
    'request.allow_listed': request.allow_listed,
    'request.time': request.at,
    'request.hour_utc': hour,
    'request.weekday_utc': weekday,
    'request.repeated': request.repeated,
    'request.refused': request.refused,
  }
}

/** Gathers the facts of one request. Without a payload the signals are absent, too. */
export function factsOf({ node, endpoint, classification, principal, request, ...rest }: Circumstances): Facts {
  const agent = rest.agent?.bound ? rest.agent : undefined
  const isThrough = principal.client_id !== undefined
  const credential = principal.type === 'user' ? principal.client_id : principal.id
  const called = calledBy(endpoint)
  const named: NamedFacts = {
    'action.id': endpoint.action_id,
    'action.kind': classification.kind,
    'action.base_tier': classification.base,
    'action.risk': classification.risk,
    'action.confidence': classification.confidence,
    'action.reversible': endpoint.undo_action_id !== undefined && endpoint.annotations?.irreversible !== true,
    'action.idempotent': endpoint.idempotency === true,
    'target.host': called?.host === null ? undefined : called && hostName(called.host),
    'target.method': called?.method,
    'node.id': node.id,
    'node.category': node.category,
    'node.owner': node.owner,
    'node.version': node.version,
    'node.listing_tier': rest.listing_tier,
    'node.environment': rest.environment,
    'principal.type': isThrough ? undefined : principal.type, // both a person and a client
    'principal.id': principal.id,
    'principal.roles': principal.roles,
    'agent.id': agent?.id,
    'agent.bound': agent !== undefined,
    ...standingFacts(rest.standing),
    ...requestFacts(request),
    'tenant.plan': rest.plan,
    ...(rest.payload !== undefined && signalFacts(classification.inspection.signals)),
  }
  return {
    named,
    context: rest.context,
    amounts: classification.inspection.amounts,
    payload: rest.payload,
    ...(!agent && { unbound: { credential, stated: rest.agent?.id } }),
  }
}
