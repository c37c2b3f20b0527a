// An OAuth client: an application that acts for people of a tenant, or for itself. It belongs to one tenant, and only
// accounts of that tenant can sign in to it. Its secret is stored sealed.
import * as z from 'zod'
import { type Permission, PERMISSIONS } from '../../../base/catalog/permissions.ts'
import { Bytes } from '../../../ledger/evidence/artifact/artifact.ts'
import { memory } from '../../../base/lib/memory.ts'
import { bound } from '../../../base/table/bound.ts'
import { key, type Stored } from '../../../base/table/entity.ts'
import { spaceMembers } from '../../../base/table/members.ts'
import type { Table } from '../../../base/table/table.ts'
import { OAUTH_SCOPES } from '../scopes.ts'
import type { Context } from '../../../base/context.ts'
import { conflict, notFound } from '../../../base/lib/failure.ts'
import { iso } from '../../../base/lib/clock.ts'

export const CLIENTS_MAX = 50
/** RFC 8628: a person agrees in a browser elsewhere. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
export const GRANT_TYPES = ['authorization_code', 'client_credentials', 'refresh_token', DEVICE_GRANT] as const
export const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const

export const Jwks = z.object({ keys: z.array(z.record(z.string(), z.unknown())).describe('The public keys.') })

export const OAuthClient = z.object({
  client_id: z.string().describe('Id of the OAuth client.'),
  ...spaceMembers,
  name: z.string().describe('A name for people.'),
  /** A `public` client cannot keep a secret, so PKCE alone protects its codes. */
  type: z.enum(['public', 'confidential']).describe('Whether the client can keep a secret (RFC 6749, section 2.1).'),
  redirect_uris: z.array(z.string()).describe('The addresses to which codes may be sent.'),
  post_logout_redirect_uris: z.array(z.string()).describe('The addresses to which people may be sent after sign-out.'),
  backchannel_logout_uri: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'Where the client is told that a person has signed out (OpenID Connect Back-Channel Logout); null: nowhere.',
    ),
  /** The client wants to know in which of its sessions; its ID tokens then name theirs. */
  backchannel_logout_session_required: z
    .boolean()
    .default(false)
    .describe('Whether logout tokens name the session that has ended. ID tokens then name theirs (`sid`).'),
  /** The address once more, under a key that nobody who writes to the table has. Only this one is called. */
  sealed_logout_uri: Bytes.optional(),
  grant_types: z.array(z.enum(GRANT_TYPES)).describe('Grants that the client may use (RFC 6749).'),
  scopes: z.array(z.enum(OAUTH_SCOPES)).describe('The scopes of the credential.'),
  token_endpoint_auth_method: z.enum(AUTH_METHODS).describe('How the client authenticates (RFC 7591).'),
  jwks: Jwks.optional().describe('Public keys of the client (RFC 7517).'),
  /** Never set on clients that registered themselves. */
  skip_consent: z.boolean().describe('Whether people need not agree. The client can then do no more than its creator.'),
  agent_id: z
    .string()
    .optional()
    .describe('Id of the agent, which is bound to the credential or stated in the request.'),
  status: z.enum(['active', 'disabled']).describe('The current state.'),
  source: z
    .enum(['api', 'registration', 'document'])
    .describe('How it was registered: through the API, by itself, or by a document.'),
  /** The address of the document that describes the client, which is its id in the protocol; only with that source. */
  document: z
    .string()
    .optional()
    .describe('Address of the document that describes the client, which is its id in the protocol.'),
  /** The client belongs to the tenant and stays when its maker is removed. */
  service: z.boolean().default(false).describe('Whether it belongs to the tenant and stays when its creator leaves.'),
  /** The permissions of its maker at creation. As itself the client never gets more than these and their present ones. */
  cap: z.array(z.enum(Object.keys(PERMISSIONS) as [Permission, ...Permission[]])),
  /** The person, also when a key of theirs created it. */
  created_by: z.string().describe('The caller that created it.'),
  /** When its maker was removed and the tenant kept it. */
  transferred_at: z.string().optional().describe('When the creator was removed and the tenant took it over.'),
  /** Everybody who has seen a secret of the client or has set its redirect URIs. Each of them could act in its name. */
  seen_by: z.array(z.string()).default([]),
  sealed_secret: Bytes.optional(),
  /** The hash of the previous secret, and until when it works. */
  previous_secret: z.object({ hash: z.string(), until: z.string() }).optional(),
  /** It has ended a token of its own before its time, so those that have ended are looked up. */
  ends_tokens: z.boolean().optional(),
  /** Registered metadata without a field of its own (RFC 7591), as JSON. */
  registered: z.string().optional(),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
})
export type OAuthClient = z.output<typeof OAuthClient>

export const clientsPartition = (tenantId: string): string => key('T', tenantId, 'live', 'OAUTHCLIENTS')

/** Clients that documents describe: they do not count against the number of clients that a tenant may register. */
export const documentClientsPartition = (tenantId: string): string => key('T', tenantId, 'live', 'OAUTHDOCUMENTS')

/** A request names only the client, so the key holds no tenant. The tenant is read from the item. */
export const oauthClients = bound({
  name: 'OAUTHCLIENT',
  schema: OAuthClient,
  key: ({ client_id }: { client_id: string }) => ({ pk: key('OAUTHCLIENT', client_id), sk: 'CLIENT' }),
  index: ({ tenant_id, document, created_at, client_id }) => ({
    gsi1pk: document === undefined ? clientsPartition(tenant_id) : documentClientsPartition(tenant_id),
    gsi1sk: key(created_at, client_id),
  }),
  free: ['ends_tokens', 'transferred_at'],
})

/** An id from a request is checked first, since it may hold characters that a key of the table cannot. */
export const CLIENT_ID = /^cli_[0-9A-HJKMNP-TV-Z]{26}$/

/** The client of any tenant; undefined for an id that no client has. */
export const findClient = async (table: Table, client_id: string): Promise<Stored<OAuthClient> | undefined> =>
  CLIENT_ID.test(client_id) ? table.get(oauthClients, { client_id }) : undefined

const cache = memory<OAuthClient>()

/** The client as this container last read it. Its maker never changes, so they can be read at the same time as the client. */
export const rememberedClient = (client_id: string): OAuthClient | undefined => cache.get(client_id)

/** The client as it is now, for requests with one of its tokens. */
export async function clientOf(table: Table, client_id: string): Promise<Stored<OAuthClient> | undefined> {
  const client = await findClient(table, client_id)
  if (client) cache.set(client_id, client)
  else cache.delete(client_id)
  return client
}

/** To be called after a change that may have ended the client. */
export const forgetClient = (client_id: string): boolean => cache.delete(client_id)

/** `own` end with the person. `others` stay: the person made them for the tenant, or has seen their secret. */
export type ClientsOfPerson = { own: Stored<OAuthClient>[]; others: Stored<OAuthClient>[] }

/** The clients that a person made or knows a secret of. */
export async function clientsOf({ table, space }: Context, user_id: string): Promise<ClientsOfPerson> {
  const all = await table.query(oauthClients, { pk: clientsPartition(space.tenant_id), index: 'gsi1' })
  const knows = ({ created_by, seen_by }: OAuthClient) => created_by === user_id || seen_by.includes(user_id)
  const isOwn = ({ created_by, service }: OAuthClient) => created_by === user_id && !service
  return { own: all.filter(isOwn), others: all.filter((client) => !isOwn(client) && knows(client)) }
}

/** A client of the caller's tenant. Throws 404 for any other. */
export async function ownClient({ table, space }: Context, client_id: string): Promise<Stored<OAuthClient>> {
  const client = await findClient(table, client_id)
  if (!client || client.tenant_id !== space.tenant_id) throw notFound('OAuth client')
  return client
}

export const changedMeanwhile = ({ _v }: { _v: number }) =>
  conflict(`The client has changed since version ${_v}. Read it again and repeat your change.`, {
    code: 'version_conflict',
  })

export const ClientView = z.object({
  ...OAuthClient.omit({
    tenant_id: true,
    cap: true,
    seen_by: true,
    sealed_secret: true,
    sealed_logout_uri: true,
    previous_secret: true,
    registered: true,
    ends_tokens: true,
  }).shape,
  /** Until when the previous secret works, too. */
  previous_secret_until: z.string().nullable().describe('When the previous secret expires.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})

export function clientView(client: Stored<OAuthClient>, now: number): z.input<typeof ClientView> {
  const until = client.previous_secret?.until
  return {
    ...client,
    previous_secret_until: until !== undefined && until > iso(now) ? until : null,
    version: client._v,
  }
}
