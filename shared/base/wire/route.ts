// A route is one row of data: everything that the gateway, the function's role, OpenAPI and the tests need to know of it.
// A `routes.ts` imports this file and nothing else, so reading the whole HTTP surface loads no handler.
import type { Permission } from '../catalog/permissions.ts'
import type { EventType } from '../catalog/event-types.ts'
import type { ArtifactType } from '../catalog/artifact-types.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Host = 'api' | 'app' | 'both'

/** `public`: no credential. `provider`: the signature of an outside provider. Otherwise the permission it needs. */
export type Access = 'public' | 'provider' | Permission

/** What a function touches: the only source of its IAM statements and of its environment. */
export type Use =
  /** `only`: these partition keys (`*` stands for anything) and no index; without it all of the table. */
  | { table: 'read' | 'write'; only?: readonly string[] }
  | { queue: QueueName }
  /** `write` includes reading; `put` and `remove` are for themselves. */
  | { bucket: BucketName; access: 'read' | 'write' | 'put' | 'remove' }
  /** `payload` seals and opens: wrapped keys table and the sealing key. `erase` destroys wrapped keys only. */
  | { seal: 'payload' | 'erase' }
  /** Signs checkpoints. */
  | { sign: true }
  /** Reads the public half of the signing key. */
  | { verifyKey: true }
  /** Reads the deployment's secret. Added by itself to every route that authenticates or signs cursors. */
  | { secret: true }
  /** Attests artifacts, or checks that they are attested. Added by itself to every row that leaves evidence. */
  | { attest: true }
  /** Loads policies and settings. */
  | { govern: true }
  /** Publishes to the event bus. */
  | { bus: 'publish' }
  /** Asks the dependencies how they are. */
  | { health: true }
  /** Calls these operations of the user pool. */
  | { cognito: readonly CognitoAction[] }
  /** Sends mails. */
  | { mail: 'send' }
  /** Signs OAuth tokens, or reads the public halves of the keys that do. */
  | { oauthKey: 'sign' | 'read' }
  /**
   * Keys that tenants manage themselves: says what their policies need, looks whether one works, wraps data keys anew
   * under one. Using them is part of `seal`.
   */
  | { customerKeys: 'show' | 'check' | 'manage' }
  /** Asks the name servers of the deployment. */
  | { dns: true }
  /** Asks for passkeys or checks them. */
  | { passkeys: true }
  /** Calls addresses that tenants name, or tells from where such calls come. */
  | { outbound: true }
  /** Asks the deployment's list of leaked passwords. */
  | { leakedPasswords: true }
  /** Follows the deployment's rules of webhook delivery. */
  | { webhookRules: true }
  /** Reads a file of the build that lies beside its code. */
  | { asset: AssetName }

/** SDK names of the user pool's operations. */
export type CognitoAction =
  | 'AdminCreateUser'
  | 'AdminDeleteUser'
  | 'AdminDisableUser'
  | 'AdminEnableUser'
  | 'AdminGetUser'
  | 'AdminInitiateAuth'
  | 'AdminRespondToAuthChallenge'
  | 'AdminSetUserPassword'
  | 'AdminUpdateUserAttributes'
  | 'AdminUserGlobalSignOut'
  | 'DescribeUserPool'
  | 'DescribeUserPoolClient'
  | 'GetTokensFromRefreshToken'
  | 'ListUsers'
  | 'RevokeToken'

export type QueueName = 'webhook-fanout' | 'checkpoints' | 'verifications' | 'exports' | 'mail'
export type BucketName = 'evidence' | 'files'
export type AssetName = 'openapi.json' | 'redoc.standalone.js' | 'verify.mjs' | 'FORMAT.md' | 'countries.mmdb'

/** `global` and `ai` share the tenant's windows, `auth` counts per address; `none` is never refused. */
export type RateCategory = 'global' | 'ai' | 'auth' | 'none'

export type RouteOptions = {
  host: Host
  access: Access
  rate: RateCategory
  /** false: takes nothing from the tenant's windows and is never refused for them. */
  counts?: false
  uses: readonly Use[]
  /** The artifact that a 2xx leaves behind, or why there is none. */
  evidence: ArtifactType | readonly ArtifactType[] | { none: string }
  emits?: readonly EventType[]
  success?: 200 | 201 | 202 | 204
  timeoutSeconds?: number
  memoryMb?: number
  /** Streams its answer (SSE). */
  stream?: true
  /** Default 256 KiB, at most 5 MiB. */
  bodyBytesMax?: number
  /** Whether test credentials reach it; default: unless its permission is about the tenant as a whole. */
  sandbox?: boolean
  /** What the last path variable names; a value that is no legal id is answered `<resource> not found`. */
  resource?: string
  /** Pages of any origin may ask; the answer itself says which of them may read it. */
  preflight?: 'any'
  /** Ignores query parameters it does not know: mail programs and identity providers add some. So does every dialect. */
  looseQuery?: true
  /** Takes a form that a browser posts instead of JSON. */
  form?: true
  /** Shows pages to people; so do its refusals where a browser asks. */
  pages?: true
  /** Its body names an account by `email`, so it also counts per source and address. */
  perEmail?: true
  /** On an open route: a session may come along, and then the request is that person's. */
  session?: 'optional'
  /** A session that must first enrol a second factor may call it, too. */
  whileEnrolling?: true
  /** Changes how people come in: only for a person who signed in and has just shown a second factor. */
  inPerson?: true
  /** Any API key will do, whatever its scopes. */
  anyKey?: true
  /** Errors in the form of another protocol (`shared/identity/scim/error-body.ts`; `oauth`: RFC 6749, and pages for people). */
  dialect?: 'scim' | 'oauth'
  /** false: `Idempotency-Key` is ignored here. Default: accepted on POST and PATCH behind authentication. */
  idempotency?: boolean
  summary: string
}

/** A row of `read`: it leaves no evidence, and need not say what most of them have in common. */
export type ReadOptions = Omit<RouteOptions, 'evidence' | 'host' | 'rate' | 'uses'> &
  Partial<Pick<RouteOptions, 'host' | 'rate' | 'uses'>>

export type Row<P extends string = string> = RouteOptions & { method: Method; path: P }
export type Route<P extends string = string> = Row<P> & { area: string; operation: string; id: string }

const row =
  (method: Method) =>
  <const P extends string>(path: P, options: RouteOptions): Row<P> => ({ method, path, ...options })

export const get = row('GET')
export const post = row('POST')
export const put = row('PUT')
export const patch = row('PATCH')
export const del = row('DELETE')

/** The evidence of a row that changes nothing. */
export const NONE = { none: 'reads change nothing' } as const

/** A GET that changes nothing, on the API host, counted in the tenant's windows, of the table, unless it says otherwise. */
export const read = <const P extends string>(path: P, options: ReadOptions): Row<P> =>
  get(path, { host: 'api', rate: 'global', uses: [{ table: 'read' }], ...options, evidence: NONE })

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** `protocol`, `executeAction` → `protocol-execute-action`. */
export const operationIdOf = (areaName: string, key: string): string => `${areaName}-${kebab(key)}`

/**
 * Names the rows of one area: `executeAction` of area `protocol` becomes operation `execute-action`, id
 * `protocol-execute-action` and the file `functions/protocol/execute-action.ts`. Throws on an id over 40 characters.
 */
export function area<const R extends Record<string, Row>>(
  name: string,
  rows: R,
): { [K in keyof R]: R[K] extends Row<infer P> ? Route<P> : never } {
  const named = Object.entries(rows).map(([key, options]) => {
    const operation = kebab(key)
    const id = operationIdOf(name, key)
    if (id.length > 40) throw new Error(`operation id ${id} is longer than 40 characters`)
    return [key, { ...options, area: name, operation, id }]
  })
  return Object.fromEntries(named)
}

/** The names of the variables in a path: `/a/{id}/b` → `id`. */
export type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<Rest>
  : unknown
