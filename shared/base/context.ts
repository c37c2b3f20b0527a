// The context of one request: its space, its principal and its adapters. A verb reads the time, makes ids and reaches
// services only through this object.
import type { Permission } from './catalog/permissions.ts'
import { dynamodb } from './aws/clients.ts'
import type { Clock } from './lib/clock.ts'
import { env, type Runtime, runtime } from './lib/runtime.ts'
import { type RandomBytes, ulid } from './lib/ids.ts'
import { currentTrace, newTraceId } from './lib/trace.ts'
import type { MODES } from './table/members.ts'
import { Table } from './table/table.ts'

export type Mode = (typeof MODES)[number]

/** A tenant and one of its two modes. Every key is built from it, so live and test data never meet. */
export type Space = { tenant_id: string; mode: Mode }

export type ActorKind = 'user' | 'api_key' | 'client' | 'agent' | 'system'

/** The kind of credential that was presented. It decides rights, lifetime and revocation. */
export type CredentialKind = 'api_key' | 'session' | 'oauth_user' | 'oauth_client' | 'system'

/** The actor of a request, with the facts that authorisation, approvals and evidence need. */
export type Principal = {
  kind: ActorKind
  id: string
  credential: CredentialKind
  permissions: ReadonlySet<Permission>
  /** The permissions of a key's maker, before the scopes of the key. A directory may change accounts up to these. */
  grant?: ReadonlySet<Permission> | undefined
  roles: readonly string[]
  /**
   * Everybody who could have made its requests: the user, the creator of the credential, people who have seen its secret, and
   * the creator of the client that acts for the user. None of them may approve its requests. The first is accountable for
   * it.
   */
  persons: readonly string[]
  /** The first key of the line of rotations, for an API key that replaces another one. */
  lineage?: string | undefined
  /** People who invited the person, gave them rights or could take over their account; see `identity/accounts/raise.ts`. */
  raised_by?: readonly string[] | undefined
  /** The person who created the key. */
  creator?: string | undefined
  /** The agent bound to the credential. */
  agent_id?: string | undefined
  /** The person who signed in; only for sessions and OAuth tokens of people. */
  user_id?: string | undefined
  email?: string | undefined
  /** For a key and a client: whether the address of its maker is verified. Undefined where no person limits the credential. */
  email_verified?: boolean | undefined
  /** The proof that the person owes before they may do more than a member. */
  proof_due?: 'address' | 'password' | 'provider' | undefined
  session_id?: string | undefined
  /** The OAuth client through which the person acts. */
  client_id?: string | undefined
  /** How the person proved who they are (RFC 8176). */
  amr?: readonly string[] | undefined
  /** When the session began, and when a second factor was last verified by this service (ms). */
  signed_in_at?: number | undefined
  mfa_at?: number | undefined
  /** The account has a second factor in this service. */
  mfa_enrolled?: boolean | undefined
  /** At sign-in the identity provider asserted a second factor. */
  idp_mfa?: boolean | undefined
  /** A session that may only enrol a second factor. */
  enrol_only?: boolean | undefined
}

/**
 * A person without an application between. A client that acts for a person may be an agent, and no token says which one.
 */
export const actsDirectly = ({ type, client_id }: { type: ActorKind; client_id?: string | undefined }): boolean =>
  type === 'user' && client_id === undefined

/**
 * The same for a repeated request of the same caller. A key counts together with those that it was rotated from, because a
 * retry after a rotation must match; its agent stays the same. A person in a session, one of their keys, and an application that
 * acts for them are three callers, because a program is not the person, and may do less.
 */
export const callerId = ({ kind, id, lineage, client_id }: Principal): string =>
  [kind, lineage ?? id, ...(client_id === undefined ? [] : [client_id])].join(' ')

/** Ids of one request. `correlation_id` is set only when the caller sent one. */
export type RequestIds = {
  request_id: string
  trace_id: string
  correlation_id?: string | undefined
}

/** The program that sent a request, as it calls itself. Nothing is decided by it. */
export type ClientClaim = { name: string; version?: string | undefined }

export type Context = {
  space: Space
  principal: Principal
  /** `at` (ms): when the request arrived. `ip` and `user_agent` are empty for workers. */
  request: RequestIds & { ip: string; user_agent: string; at: number }
  client?: ClientClaim | undefined
  table: Table
  clock: Clock
  random: RandomBytes
  now(): number
  /** `exe` → `exe_<ULID>` */
  id(prefix: string): string
}

/** The container's clock and source of randomness. */
export const currentRuntime = (): Runtime => runtime

/** Replaces clock and randomness of this process. For tests only. */
export function setRuntime(parts: Partial<Runtime>): void {
  Object.assign(runtime, parts)
}

export const openTable = (): Table => new Table(dynamodb(), env('TABLE_NAME'), runtime.clock, runtime.random)

export const SYSTEM: Principal = {
  kind: 'system',
  id: 'system',
  credential: 'system',
  permissions: new Set(),
  roles: [],
  persons: [],
}

export function createContext(parts: Pick<Context, 'space' | 'principal' | 'request'> & { table?: Table }): Context {
  const { clock, random } = runtime
  return {
    table: openTable(),
    ...parts,
    clock,
    random,
    now: () => clock.now(),
    id: (prefix) => `${prefix}_${ulid(clock.now(), random)}`,
  }
}

/** The context of a worker that continues the work of a request in this space, by default with the trace of its message. */
export function systemContext(space: Space, trace_id: string = currentTrace() ?? newTraceId()): Context {
  const { clock, random } = runtime
  const request = { request_id: `req_${ulid(clock.now(), random)}`, trace_id, ip: '', user_agent: '', at: clock.now() }
  return createContext({ space, principal: SYSTEM, request })
}
