// A route is one row of data, from which the gateway, the function's role, OpenAPI and the tests are derived. A `routes.ts`
// imports only this file, so reading the whole HTTP surface loads no handler.
import type { QueueName } from '../catalog/queues.ts'
import type { Permission } from '../catalog/permissions.ts'
import type { EventType } from '../catalog/event-types.ts'
import type { ArtifactType } from '../catalog/artifact-types.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Host = 'api' | 'app' | 'both'

/** `public`: no credential. `provider`: the signature of an outside provider. Otherwise the permission it needs. */
export type Access = 'public' | 'provider' | Permission

/** What a function uses: the only source of its IAM statements and of its environment. */
export type Use =
  /** `only`: access to these partition keys (`*` is a wildcard) and to no index. Without it: the whole table. */
  | { table: 'read' | 'write'; only?: readonly string[] }
  /** Sends messages; with `comesBack` it also says when a failed message of its own returns, or does `only` that. */
  | { queue: QueueName; comesBack?: true | 'only' }
  /** Counts the messages of the queue and of its dead-letter queue. */
  | { inspect: QueueName }
  /** `write` includes reading; `put` and `remove` do not. `prefix`: only objects whose names begin so. */
  | { bucket: BucketName; access: 'read' | 'write' | 'put' | 'remove'; prefix?: string }
  /** Lists what there is of one space at a time, without reading it. */
  | { bucket: 'files'; access: 'list' }
  /**
   * `payload`: seals and opens values, with the table of wrapped keys and the sealing key. `erase`: only destroys wrapped
   * keys.
   */
  | { seal: 'payload' | 'erase' }
  /** Signs checkpoints. */
  | { sign: true }
  /** Reads the public half of the signing key. */
  | { verifyKey: true }
  /** Reads the deployment's secret: to read bound items or sign cursors. Added automatically to routes that authenticate. */
  | { secret: true }
  /** Attests artifacts or checks attestations. Added automatically to every row that leaves evidence. */
  | { attest: true }
  /** Reads the operator's secrets for providers: payments, connections, and the clients of connectors. */
  | { providers: true }
  /** Loads policies and settings. */
  /** Decides on actions: policies, settings and models. */
  | { govern: true }
  /** Publishes to the event bus. */
  | { bus: 'publish' }
  /** Checks the dependencies. */
  | { health: true }
  /** Calls these operations of the user pool. */
  | { cognito: readonly CognitoAction[] }
  /** Sends mails. */
  | { mail: 'send' }
  /** Signs OAuth tokens, or reads the public keys that verify them. */
  | { oauthKey: 'sign' | 'read' }
  /**
   * KMS keys of tenants. `show`: describes the key policy they need. `check`: tests whether a key works. `manage`: rewraps
   * data keys. Sealing with them is part of `seal`.
   */
  | { customerKeys: 'show' | 'check' | 'manage' }
  /** Queries the name servers of the deployment. */
  | { dns: true }
  /** Creates or verifies passkey challenges. */
  | { passkeys: true }
  /** Calls addresses that tenants name, or shows the source addresses of such calls. */
  | { outbound: true }
  /** Queries the deployment's list of leaked passwords. */
  | { leakedPasswords: true }
  /** Uses the deployment's rules for webhook delivery. */
  | { webhookRules: true }
  /** `show`: knows which trainers the deployment has. `run`: has the providers among them train, and follows that. */
  | { training: 'show' | 'run' }
  /** Prints metrics of the deployment. */
  | { metrics: true }
  /** Asks AWS how the deployment is set: the key of data keys, backups of the table, the bucket of evidence. */
  | { describe: 'deployment' }
  /** Reads a file that is bundled beside its code. */
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

export type BucketName = 'evidence' | 'files'
export type AssetName =
  | 'openapi.json'
  | 'docs.json'
  | 'verify.mjs'
  | 'FORMAT.md'
  | 'countries.mmdb'
  | 'DejaVuSans.ttf'
  | 'DejaVuSans-Bold.ttf'

/** `global` and `ai` share the tenant's windows; `auth` counts per source address; `none` is never refused. */
export type RateCategory = 'global' | 'ai' | 'auth' | 'none'

export type RouteOptions = {
  host: Host
  access: Access
  rate: RateCategory
  /** false: not counted in the tenant's windows and never refused because of them. */
  counts?: false
  uses: readonly Use[]
  /** The artifact that a 2xx leaves, or the reason why there is none. */
  evidence: ArtifactType | readonly ArtifactType[] | { none: string }
  emits?: readonly EventType[]
  success?: 200 | 201 | 202 | 204
  timeoutSeconds?: number
  memoryMb?: number
  /** Streams its answer (SSE). */
  stream?: true
  /** Default 256 KiB, at most 5 MiB. */
  bodyBytesMax?: number
  /** Whether test credentials may call it. Default: true, unless its permission is in `TENANT_LEVEL`. */
  sandbox?: boolean
  /** The kind of thing that the last path variable names. A malformed id is answered `<resource> not found`. */
  resource?: string
  /** Preflight requests of any origin succeed; the answer itself says which origins may read it. */
  preflight?: 'any'
  /** Ignores unknown query parameters, because mail programs and identity providers add some. So does every dialect. */
  looseQuery?: true
  /** Uses up what the plan includes: refused while the free plan has used 120 % of it. */
  volume?: true
  /** The handler gets the bytes of the body, because a signature is over them. */
  raw?: true
  /** Takes a browser form instead of JSON. */
  form?: true
  /** Answers HTML pages; refusals are pages, too, if the client is a browser. */
  pages?: true
  /** Its body names an account by `email`, so it is also counted per source address and e-mail address. */
  perEmail?: true
  /** On an open route: a session may be sent; then the request is made in the name of that person. */
  session?: 'optional'
  /** OAuth tokens must be for the tools of the tenant in the path; elsewhere they must be for the API. */
  audience?: 'mcp'
  /** Sessions that may only enrol a second factor can call it. */
  whileEnrolling?: true
  /**
   * In live mode, callers whose e-mail address is not verified can call it, too: it concerns their own account alone, changes
   * nothing, or only ends access. Every other row that is not a GET needs a verified address.
   */
  whileUnverified?: true
  /** Only for a person in a session of their own: for no key and no OAuth token, with any permission. */
  signedIn?: true
  /** Changes how people sign in, or who decides: only for a signed-in person who has just verified a second factor. */
  inPerson?: true
  /** Accepts any API key, regardless of its scopes. */
  anyKey?: true
  /**
   * Errors in the form of another protocol (`scim`: `shared/identity/scim/refusal.ts`; `oauth`: RFC 6749, or pages; `mcp`:
   * `shared/edge/respond.ts`).
   */
  dialect?: 'scim' | 'oauth' | 'mcp'
  /** false: `Idempotency-Key` is ignored. Default: accepted on authenticated POST and PATCH routes. */
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

/** The events of a request to run an action, by any way in. */
export const EXECUTION_EVENTS = [
  'action.requested',
  'agent.action.triggered',
  'action.auto_executed',
  'action.approved',
  'action.rejected',
  'policy.violated',
  'protocol.executed',
  'protocol.approval.requested',
  'agent.completed',
  'agent.failed',
] as const satisfies readonly EventType[]

/** For a row that may ask people for permission, as an action of the service itself, which is held. */
export const ASKS = {
  uses: [{ table: 'write' }, { seal: 'payload' }, { govern: true }, { outbound: true }, { asset: 'countries.mmdb' }],
  emits: ['action.requested', 'action.rejected', 'policy.violated', 'protocol.approval.requested'],
} as const satisfies Pick<RouteOptions, 'uses' | 'emits'>

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
