// Artefacts of the OAuth server: codes, refresh tokens, grants, sessions. The key of an item is the hash of its id, and its
// payload is sealed under the id itself. So somebody who reads the table can neither use nor open an artefact. At the end: under
// which id a tenant stores a client.
import * as z from 'zod'
import { Bytes } from '../../ledger/evidence/artifact/artifact.ts'
import { dataKey, open, seal } from '../../ledger/sealing/seal-format.ts'
import { sha256 } from '../../base/lib/json.ts'
import type { RandomBytes } from '../../base/lib/ids.ts'
import { bound } from '../../base/table/bound.ts'
import { key } from '../../base/table/entity.ts'
import { digest } from '../../ledger/events/event.ts'

export const Artefact = z.object({
  model: z.string(),
  hash: z.string(),
  sealed: Bytes,
  /** Unix seconds, like all instants of the library. */
  exp: z.int(),
  used_at: z.int().optional(),
  tries: z.int().optional(),
  /** Only of device codes: how far a person has come with it. */
  phase: z.int().optional(),
  tenant_id: z.string().optional(),
  client_id: z.string().optional(),
  /** The index finds what was issued under a grant, and what acts in the name of a person. */
  grant_id: z.string().optional(),
  account_id: z.string().optional(),
  /** Only of grants, to show them; what they allow is decided by the payload. `given_at` and `last_used_at`: Unix seconds. */
  scopes: z.array(z.string()).optional(),
  resources: z.array(z.string()).optional(),
  given_at: z.int().optional(),
  last_used_at: z.int().optional(),
  /** Only of grants: finds those that end when the identity provider signs the person out. */
  slo_key: z.string().optional(),
  /** The id in evidence. It reveals nothing about the secret id. */
  public_id: z.string().optional(),
})
export type Artefact = z.output<typeof Artefact>

export type Named = { model: string; hash: string }

export const named = (model: string, id: string): Named => ({ model, hash: sha256(id).toString('base64url') })

export const grantPartition = (grantId: string): string => key('OIDCGRANT', grantId)
/** The grants of a tenant, by client and person. */
export const consentsPartition = (tenantId: string): string => key('T', tenantId, 'live', 'OIDCGRANTS')

export const accountPartition = (userId: string): string => key('OIDCACC', userId)

function ownerIndex({ model, hash, grant_id, account_id }: Artefact) {
  if (grant_id) return { gsi1pk: grantPartition(grant_id), gsi1sk: key(model, hash) }
  return account_id ? { gsi1pk: accountPartition(account_id), gsi1sk: key(model, hash) } : {}
}

function consentIndex({ model, hash, tenant_id, client_id, account_id }: Artefact) {
  if (model !== 'Grant' || !tenant_id || !client_id || !account_id) return {}
  return { gsi2pk: consentsPartition(tenant_id), gsi2sk: key(client_id, account_id, hash) }
}

export const artefacts = bound({
  name: 'OIDC',
  schema: Artefact,
  key: ({ model, hash }: Named) => ({ pk: key('OIDC', model, hash), sk: 'A' }),
  index: (item) => ({ ...ownerIndex(item), ...consentIndex(item) }),
  ttl: ({ exp }) => exp,
  free: ['used_at', 'tries', 'phase', 'last_used_at'],
})

const DIGEST = 'artefact'

const placeOf = (of: Named) => ({ ...artefacts.key(of), attribute: 'sealed' })

/** The id has at least 256 random bits, so it serves as a key. */
const keyOf = (id: string) => dataKey(DIGEST, sha256(`${DIGEST}\n${id}`))

export const sealPayload = (model: string, id: string, payload: object, random: RandomBytes): Uint8Array =>
  seal(keyOf(id), placeOf(named(model, id)), Buffer.from(JSON.stringify(payload)), random)

export const openPayload = (id: string, item: Artefact): Record<string, unknown> =>
  JSON.parse(open(keyOf(id), placeOf(item), item.sealed).toString())

const URL_MAX = 512

/**
 * Whether the id of a client is the address of its metadata document, and not the id of a registered client. The address must be
 * written exactly as it is called: https with a path, and nothing that a URL parser would change or leave out.
 */
export function isDocumentUrl(client_id: string): boolean {
  const url = client_id.startsWith('https://') && client_id.length <= URL_MAX ? URL.parse(client_id) : null
  return url !== null && url.href === client_id && url.pathname !== '/' && url.hash === '' && url.username === ''
}

/** The id under which a tenant stores a client. A client that a URL names has one in each tenant. */
export const storedId = (client_id: string, tenant_id: string): string =>
  isDocumentUrl(client_id) ? `cli_${digest(`${tenant_id}\n${client_id}`)}` : client_id
