// One-time codes: a sign-in ends with a code in the URL, valid once for one minute. Tokens never appear in a URL.
import * as z from 'zod'
import { invalidToken } from '../access/link.ts'
import { hashOf, newSecret } from '../access/one-time.ts'
import type { Context } from '../../base/context.ts'
import { sameBytes } from '../../base/lib/hash.ts'
import { entity, key } from '../../base/table/entity.ts'

const LIFE_MS = 60_000

const SsoCode = z.object({
  hash: z.string(),
  tenant_id: z.string(),
  user_id: z.string(),
  /** RFC 8176. */
  amr: z.array(z.string()),
  /** The identity provider has checked a second factor, and the tenant trusts it. */
  trusted_mfa: z.boolean(),
  session_cap: z.string().optional(),
  slo_key: z.string().optional(),
  code_challenge: z.string().optional(),
  /** The only OAuth authorisation that may use the code. */
  interaction: z.string().optional(),
  expires_at: z.int(),
})
export type SsoCode = z.output<typeof SsoCode>

const ssoCodes = entity({
  name: 'SSOCODE',
  schema: SsoCode,
  key: ({ hash }: { hash: string }) => ({ pk: key('SSOCODE', hash), sk: 'SSOCODE' }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

export async function createCode(ctx: Context, of: Omit<SsoCode, 'hash' | 'expires_at'>): Promise<string> {
  const code = newSecret(ctx.random)
  await ctx.table.commit([ssoCodes.insert({ ...of, hash: hashOf(code), expires_at: ctx.now() + LIFE_MS })])
  return code
}

type Shown = { code: string; code_verifier?: string | undefined; interaction?: string | undefined }

/** Uses the code up, even if the verifier or the interaction is wrong, because then somebody else has seen the code. */
export async function takeCode(ctx: Context, { code, code_verifier, interaction }: Shown): Promise<SsoCode> {
  const { table } = ctx
  const hash = hashOf(code)
  const found = await table.get(ssoCodes, { hash })
  if (!found) throw invalidToken()
  await table.commit([ssoCodes.remove({ hash }, { expression: 'attribute_exists(pk)' }, invalidToken())])
  const isFresh = found.expires_at > ctx.now()
  if (!isFresh || found.interaction !== interaction || !isVerified(found, code_verifier)) throw invalidToken()
  return found
}

/** RFC 7636, method S256. A verifier without a challenge is ignored. */
function isVerified({ code_challenge }: SsoCode, verifier: string | undefined): boolean {
  if (code_challenge === undefined) return true
  return verifier !== undefined && sameBytes(Buffer.from(hashOf(verifier)), Buffer.from(code_challenge))
}
