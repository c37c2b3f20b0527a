// The secret part of a connection: what a tenant gives so that its API can be called, or the tokens of a provider, and the headers
// that they become. It is sealed in the row of the connection together with the address that it is for.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { textSeal } from '../../ledger/sealing/seal.ts'
import { Actor, type Connection, connections } from './connection.ts'
import type { KnownConnector } from './known-connector.ts'
import { invalid } from '../../base/lib/failure.ts'
import type { Auth } from './connector.ts'

const printable = z.string().regex(/^[\x20-\x7e]{1,4096}$/, 'must be printable ASCII')

export const Credentials = z.strictObject({
  token: printable.optional().describe('The bearer token.'),
  username: printable.optional().describe('The user name of Basic authentication.'),
  password: printable.optional().describe('The password of Basic authentication.'),
  key: printable.optional().describe('The API key.'),
})
export type Credentials = z.output<typeof Credentials>

const NEEDED: Record<Auth['type'], readonly (keyof Credentials)[]> = {
  none: [],
  bearer: ['token'],
  basic: ['username', 'password'],
  api_key: ['key'],
  oauth2: [],
}

/** Throws 422 for what is missing and for what the connector does not take. */
export function mustFit({ type }: Auth, credentials: Credentials): void {
  const needed = NEEDED[type]
  for (const name of needed)
    if (credentials[name] === undefined) throw invalid(['credentials', name], 'is needed', 'missing')
  for (const name of Object.keys(credentials))
    if (!needed.some((one) => one === name)) throw invalid(['credentials', name], `is not for ${type}`)
}

function headersOf({ type, header = '' }: Auth, { token, username, password, key = '' }: Credentials) {
  if (type === 'bearer') return { authorization: `Bearer ${token}` }
  if (type === 'api_key') return { [header.toLowerCase()]: key }
  return type === 'basic' ? { authorization: `Basic ${btoa(`${username}:${password}`)}` } : {}
}

export const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  /** The client that they were issued to. */
  client_id: z.string(),
})
export type Tokens = z.output<typeof Tokens>

export const Credential = z.object({
  /** Canonical JSON of the members that the row of an own connector must still have. */
  bound_to: z.string(),
  base_url: z.string(),
  /** Parts of the account that the addresses of the provider contain, such as a subdomain. */
  params: z.record(z.string(), z.string()),
  credentials: Credentials.optional(),
  tokens: Tokens.optional(),
  /** The caller who connected it, and all people who could have. They are read here, since the row could be rewritten. */
  by: Actor,
  persons: z.array(z.string()),
})
export type Credential = z.output<typeof Credential>
/** Before its persons are known. */
export type NewCredential = Omit<Credential, 'by' | 'persons'>

/** The address and authentication that a credential was given for. Those of the catalogue are code and in no row. */
export const bindingOf = ({ id, own, base_url, auth }: KnownConnector): string =>
  canonicalJson(own ? { base_url, auth } : { catalogue: id })

const seal = textSeal('sealed')

export const sealCredential = ({ space }: Context, connector_id: string, credential: Credential): Promise<string> =>
  seal.seal(space, connections.key({ ...space, connector_id }), JSON.stringify(credential))

/** Undefined without a credential, and when the row of the connector names another address than the one it was given for. */
export async function openCredential(
  connector: KnownConnector,
  connection: Connection,
): Promise<Credential | undefined> {
  if (connection.sealed === undefined) return undefined
  const text = await seal.open(connection, connections.key(connection), connection.sealed)
  const credential = Credential.parse(JSON.parse(text))
  return credential.bound_to === bindingOf(connector) ? credential : undefined
}

/** The headers of every call of the provider. */
export function callHeaders({ auth, provider }: KnownConnector, { credentials = {}, tokens }: Credential) {
  const carries = tokens ? { authorization: `Bearer ${tokens.access_token}` } : headersOf(auth, credentials)
  return { ...provider?.headers, ...carries }
}
