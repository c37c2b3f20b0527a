// A sign-in that waits for the answer of the identity provider. It is bound to one browser, lasts ten minutes and accepts one
// answer.
import * as z from 'zod'
import { hashOf, newSecret } from '../access/one-time.ts'
import type { Context } from '../../base/context.ts'
import { bound } from '../../base/table/bound.ts'
import { key, type Write } from '../../base/table/entity.ts'
import { unknownRequest } from './refusal.ts'

const LIFE_MS = 600_000

const SsoRequest = z.object({
  id_hash: z.string(),
  tenant_id: z.string(),
  /** `saml_logout`: a sign-out that waits for an answer. */
  kind: z.enum(['saml', 'oidc', 'saml_logout']),
  /** The hash of the browser's cookie. An answer from another browser is refused. */
  cookie_hash: z.string(),
  /** Where the one-time code is sent, with `state`. */
  redirect_uri: z.string().optional(),
  state: z.string().optional(),
  code_challenge: z.string().optional(),
  /** Instead of `redirect_uri`: the OAuth authorisation in which the person signs in. */
  interaction: z.string().optional(),
  /** The sign-in ends with a report and never with a session. */
  test: z.boolean(),
  /** OpenID Connect only. */
  nonce: z.string().optional(),
  code_verifier: z.string().optional(),
  expires_at: z.int(),
})
export type SsoRequest = z.output<typeof SsoRequest>

export const ssoRequests = bound({
  name: 'SSOREQ',
  schema: SsoRequest,
  key: ({ id_hash }: { id_hash: string }) => ({ pk: key('SSOREQ', id_hash), sk: 'REQ' }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

export type NewRequest = Omit<SsoRequest, 'id_hash' | 'cookie_hash' | 'expires_at'>

/** Stores the request and returns its id, which is a valid XML name. */
export async function beginRequest(ctx: Context, request: NewRequest, cookie: string): Promise<string> {
  const id = `_${newSecret(ctx.random)}`
  const hashes = { id_hash: hashOf(id), cookie_hash: hashOf(cookie) }
  await ctx.table.commit([ssoRequests.insert({ ...request, ...hashes, expires_at: ctx.now() + LIFE_MS })])
  return id
}

export type Presented = { id: string; kind: SsoRequest['kind']; cookie: string | undefined }

/** Throws 401 for a request that does not exist, has expired or belongs to another browser. Does not use it up. */
export async function findRequest(ctx: Context, { id, kind, cookie }: Presented): Promise<SsoRequest> {
  const found = await ctx.table.get(ssoRequests, { id_hash: hashOf(id) })
  const isOpen = found?.kind === kind && found.expires_at > ctx.now()
  if (!isOpen || cookie === undefined || found.cookie_hash !== hashOf(cookie)) throw unknownRequest()
  return found
}

/** Uses the request up. Of several concurrent answers one succeeds. */
export const takeRequest = ({ id_hash }: SsoRequest): Write =>
  ssoRequests.remove({ id_hash }, { expression: 'attribute_exists(pk)' }, unknownRequest())
