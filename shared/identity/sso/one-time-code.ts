// One-time codes: a sign-in ends with a code in the URL, valid once for one minute. Tokens never appear in a URL. Test tickets are
// here, too: with one, a browser can test a configuration for ten minutes, even if it is not enabled.
import * as z from 'zod'
import { invalidToken } from '../access/link.ts'
import { hashOf, newSecret } from '../access/one-time.ts'
import type { Context } from '../../base/context.ts'
import { sameBytes } from '../../base/lib/json.ts'
import { bound } from '../../base/table/bound.ts'
import { entity, key, type Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { type User, users } from '../accounts/user.ts'
import { hasEndedSince } from '../sessions/slo-handle.ts'

const CODE_LIFE_MS = 60_000
const TICKET_LIFE_MS = 600_000

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

const ssoCodes = bound({
  name: 'SSOCODE',
  schema: SsoCode,
  key: ({ hash }: { hash: string }) => ({ pk: key('SSOCODE', hash), sk: 'SSOCODE' }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

/** Stores the hash of a new code and returns the code. */
export async function createCode(ctx: Context, of: Omit<SsoCode, 'hash' | 'expires_at'>): Promise<string> {
  const code = newSecret(ctx.random)
  await ctx.table.commit([ssoCodes.insert({ ...of, hash: hashOf(code), expires_at: ctx.now() + CODE_LIFE_MS })])
  return code
}

type Shown = { code: string; code_verifier?: string | undefined; interaction?: string | undefined }

/** `began_at`: when the provider said who it is (ms). */
export type Taken = SsoCode & { user: Stored<User>; began_at: number }

/**
 * Uses the code up, even if the verifier or the interaction is wrong, because then somebody else has seen the code. Throws 401
 * for a code that is unknown, used or expired, and when the sign-ins of the person have ended since it was made. Of two concurrent
 * uses one succeeds.
 */
export async function takeCode(ctx: Context, { code, code_verifier, interaction }: Shown): Promise<Taken> {
  const { table } = ctx
  const hash = hashOf(code)
  const found = await table.get(ssoCodes, { hash })
  if (!found) throw invalidToken()
  await table.commit([ssoCodes.remove({ hash }, { expression: 'attribute_exists(pk)' }, invalidToken())])
  const isFresh = found.expires_at > ctx.now()
  if (!isFresh || found.interaction !== interaction || !isVerified(found, code_verifier)) throw invalidToken()
  const began_at = found.expires_at - CODE_LIFE_MS
  const user = await stillSignedIn(table, { ...found, began_at })
  if (!user) throw invalidToken()
  return { ...found, user, began_at }
}

async function stillSignedIn(
  table: Table,
  { tenant_id, user_id: id, slo_key, began_at }: Omit<Taken, 'user'>,
): Promise<Stored<User> | undefined> {
  const since = Math.floor(began_at / 1_000)
  const [user, over] = await Promise.all([
    table.get(users, { tenant_id, id }),
    slo_key !== undefined && hasEndedSince(table, { tenant_id, slo_key, since }),
  ])
  const ended = Date.parse(user?.tokens_valid_after ?? '') > began_at
  return user?.status === 'active' && !ended && !over ? user : undefined
}

/** RFC 7636, method S256. A verifier without a challenge is ignored. */
function isVerified({ code_challenge }: SsoCode, verifier: string | undefined): boolean {
  if (code_challenge === undefined) return true
  return verifier !== undefined && sameBytes(Buffer.from(hashOf(verifier)), Buffer.from(code_challenge))
}

const testTickets = entity({
  name: 'SSOTEST',
  unbound: 'bounded',
  schema: z.object({ hash: z.string(), tenant_id: z.string(), expires_at: z.int() }),
  key: ({ hash }: { hash: string }) => ({ pk: key('SSOTEST', hash), sk: 'SSOTEST' }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

/** Stores the hash of a new ticket and returns the ticket. */
export async function createTestTicket(ctx: Context): Promise<string> {
  const ticket = newSecret(ctx.random)
  const { tenant_id } = ctx.space
  await ctx.table.commit([
    testTickets.insert({ hash: hashOf(ticket), tenant_id, expires_at: ctx.now() + TICKET_LIFE_MS }),
  ])
  return ticket
}

/** The tenant of a ticket; undefined when the ticket does not exist or has expired. */
export async function testedTenant(table: Table, ticket: string, now: number): Promise<string | undefined> {
  const found = await table.get(testTickets, { hash: hashOf(ticket) })
  return found && found.expires_at > now ? found.tenant_id : undefined
}
