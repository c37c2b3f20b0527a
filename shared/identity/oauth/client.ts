// An application that a tenant lets act for its people, or for itself. It belongs to one tenant: only accounts of that
// tenant sign in to it, and its secret is stored sealed.
import * as z from 'zod'
import { PERMISSIONS, type Permission } from '../../base/catalog/permissions.ts'
import { Bytes } from '../../ledger/evidence/artifact/artifact.ts'
import { memory } from '../../base/lib/memory.ts'
import { entity, key, type Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { OAUTH_SCOPES } from './scopes.ts'

export const CLIENTS_MAX = 50
export const GRANT_TYPES = ['authorization_code', 'client_credentials', 'refresh_token'] as const
export const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const

export const Jwks = z.object({ keys: z.array(z.record(z.string(), z.unknown())) })

export const OAuthClient = z.object({
  client_id: z.string(),
  tenant_id: z.string(),
  mode: z.enum(['live', 'test']),
  name: z.string(),
  /** `public`: keeps no secret, so it proves itself by PKCE alone. */
  type: z.enum(['public', 'confidential']),
  redirect_uris: z.array(z.string()),
  post_logout_redirect_uris: z.array(z.string()),
  grant_types: z.array(z.enum(GRANT_TYPES)),
  scopes: z.array(z.enum(OAUTH_SCOPES)),
  token_endpoint_auth_method: z.enum(AUTH_METHODS),
  jwks: Jwks.optional(),
  /** Never set on clients that registered themselves. */
  skip_consent: z.boolean(),
  agent_id: z.string().optional(),
  status: z.enum(['active', 'disabled']),
  source: z.enum(['api', 'registration']),
  /** Belongs to the tenant: it outlives its maker. */
  service: z.boolean().default(false),
  /** What its maker could do then: as itself the client can never do more, nor more than they may now. */
  cap: z.array(z.enum(Object.keys(PERMISSIONS) as [Permission, ...Permission[]])),
  /** The person, also where a key of theirs made it. */
  created_by: z.string(),
  /** When its maker was removed and it stayed with the tenant. */
  transferred_at: z.string().optional(),
  /** Everybody who was shown a secret of it, or said where its codes go: each of them could ask in its name. */
  seen_by: z.array(z.string()).default([]),
  sealed_secret: Bytes.optional(),
  /** The hash of the secret before, and until when it works, too. */
  previous_secret: z.object({ hash: z.string(), until: z.string() }).optional(),
  /** The rest of what a client registered of itself (RFC 7591), as JSON. */
  registered: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type OAuthClient = z.output<typeof OAuthClient>

export const clientsPartition = (tenantId: string): string => key('T', tenantId, 'live', 'OAUTHCLIENTS')

/** Found by its id, which tells the tenant. */
export const oauthClients = entity({
  name: 'OAUTHCLIENT',
  schema: OAuthClient,
  key: ({ client_id }: { client_id: string }) => ({ pk: key('OAUTHCLIENT', client_id), sk: 'CLIENT' }),
  index: (item) => ({ gsi1pk: clientsPartition(item.tenant_id), gsi1sk: key(item.created_at, item.client_id) }),
})

/** An id from outside may be anything, also what no key can hold. */
export const CLIENT_ID = /^cli_[0-9A-HJKMNP-TV-Z]{26}$/

export const findClient = async (table: Table, client_id: string): Promise<Stored<OAuthClient> | undefined> =>
  CLIENT_ID.test(client_id) ? table.get(oauthClients, { client_id }) : undefined

const FRESH_MS = 30_000
const known = memory<{ client: Stored<OAuthClient> | undefined; at: number }>()

/** As this container last saw it: tells who made it, which never changes, before it is read again. */
export const rememberedClient = (client_id: string): OAuthClient | undefined => known.get(client_id)?.client

/**
 * As of at most 30 seconds ago, and never from before the token was issued (unix second): who could have got that token is
 * known then. For the tokens of a client, which each request presents again.
 */
export async function clientOf(
  table: Table,
  client_id: string,
  issued: number,
): Promise<Stored<OAuthClient> | undefined> {
  const at = table.clock.now()
  const cached = known.get(client_id)
  if (cached && cached.at > at - FRESH_MS && cached.at >= (issued + 1) * 1_000) return cached.client
  const client = await findClient(table, client_id)
  known.set(client_id, { client, at })
  return client
}

/** After a change by this container. */
export const forgetClient = (client_id: string): boolean => known.delete(client_id)
