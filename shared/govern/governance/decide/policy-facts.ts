// Gathers the facts of one request, so that policies and receipts use the same values. Also where a target is called, as a short text
// that an approval binds.
import { DAY_MS, HOUR_MS } from '../../../base/lib/clock.ts'
import { type Json, sha256, sha256Hex } from '../../../base/lib/json.ts'
import type { Endpoint, Node } from '../endpoint.ts'
import type { Classification } from '../words/classify.ts'
import type { Facts, FactName, PLANS, PRINCIPAL_TYPES, SuppliedFacts } from '../conditions/fact-list.ts'
import type { Tier } from '../../../base/catalog/kinds.ts'
import type { Signals } from '../payload/signals.ts'
import * as z from 'zod'

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
  /** The trust record of the agent, key or client, whether or not an agent is bound to it. */
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

/** The facts of one part, for example `request`. */
type FactsOf<Part extends string> = Pick<SuppliedFacts, Extract<FactName, `${Part}.${string}`>>

const signalFacts = (signals: Signals): FactsOf<'signals'> => ({
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

function requestFacts(request: Circumstances['request']): FactsOf<'request'> {
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
  const named: Omit<SuppliedFacts, keyof FactsOf<'signals'>> = {
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
  }
  const signals = rest.payload === undefined ? undefined : signalFacts(classification.inspection.signals)
  return {
    named: { ...named, ...signals },
    context: rest.context,
    amounts: classification.inspection.amounts,
    payload: rest.payload,
    ...(!agent && { unbound: { credential, stated: rest.agent?.id } }),
  }
}

/** Where a target is called. An approval holds it as one short text (`targetText`), which its artifact binds. */
export const Called = z.object({
  method: z.string().describe('HTTP method of the call.'),
  /** With its port. Null for a connection whose address was not known when it was published. */
  host: z.string().nullable().describe('The host, with its port; null: not known when the connector was published.'),
  /** With the query of an address, and with the variables of a published operation in braces. */
  path: z
    .string()
    .describe(
      'The path, with variables in braces. What does not fit 200 bytes ends in `#` and 32 hexadecimal digits of the SHA-256 of the whole.',
    ),
})
export type Called = z.output<typeof Called>

/** Undefined for an action without a target. */
export function calledBy({ target }: Pick<Endpoint, 'target'>): Called | undefined {
  if (!target) return undefined
  if (target.type === 'connection') return { method: target.method, host: target.host ?? null, path: target.path }
  const { host, pathname, search } = new URL(target.url)
  return { method: target.method ?? 'POST', host, path: pathname + search }
}

/** The longest text. */
export const TARGET_BYTES_MAX = 200
const HOST_MAX = 100
const HASH_LENGTH = 32
const UNKNOWN_HOST = '-'

/** A longer text keeps its beginning, and ends in a part of the hash of the whole. Neither a host nor a path holds `#`. */
const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - HASH_LENGTH - 1)}#${sha256Hex(text).slice(0, HASH_LENGTH)}`

/** In ASCII. Braces of variables stay. */
const ascii = (path: string): string =>
  encodeURI(path.toWellFormed()).replaceAll('%7B', '{').replaceAll('%7D', '}').replaceAll('%25', '%')

/** `DELETE api.example.com /v1/contacts/{id}` */
export function targetText({ method, host, path }: Called): string {
  const start = `${method} ${host === null ? UNKNOWN_HOST : shortened(host, HOST_MAX)} `
  return start + shortened(ascii(path), TARGET_BYTES_MAX - start.length)
}

export function readTargetText(text: string): Called {
  const [method = '', host = '', ...path] = text.split(' ')
  return { method, host: host === UNKNOWN_HOST ? null : host, path: path.join(' ') }
}

/** The name of the host, without its port. */
export const hostName = (host: string): string => host.replace(/:\d+$/, '')

const UNESCAPED = /^[\w.~/{}-]*$/

/** Spellings of one path that servers take for the same: escapes, capitals, and slashes that stand twice or at the end. */
function samePath(path: string): string {
  const plain = (path.split('?')[0] ?? '').replaceAll(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCodePoint(Number.parseInt(code.slice(1), 16))
    return UNESCAPED.test(character) ? character : code
  })
  return plain.toLowerCase().replaceAll(/\/+/g, '/').replace(/\/$/, '')
}

const short = (text: string): string => sha256(text).subarray(0, 6).toString('base64url')

/** An address and its host in eight characters each. Method, scheme and query make no difference. */
export const addressNames = ({ host, path }: Called) => ({
  address: short(`${host ?? UNKNOWN_HOST}${samePath(path)}`),
  host: short(host ?? UNKNOWN_HOST),
})
