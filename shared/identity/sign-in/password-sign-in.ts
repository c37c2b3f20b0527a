// The first factor: an e-mail address and a password. An unknown address, a wrong password and a suspended account get the
// same answer after the same calls.
import { mustNotBeBlocked, noteFailure } from '../security-events/attempts.ts'
import { countryOf } from '../security-events/country.ts'
import { NOBODYS_TENANT } from '../security-events/security-event.ts'
import { writeAuditEntry } from '../../ledger/audit/write-audit-entry.ts'
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { ulid } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import { claimsOn, inTenant } from '../accounts/find.ts'
import { enforcedSso, mayUsePassword, signInAtProvider } from './enforced-sso.ts'
import { checkPassword, type PoolTokens } from '../accounts/pool.ts'
import { emailHash, type User, users } from '../accounts/user.ts'
import * as z from 'zod'
import { type HttpResponse, unchanged } from '../../base/wire/call.ts'
import { id, optional } from '../../base/wire/fields.ts'
import { Email, PASSWORD_MAX } from '../accounts/password.ts'
import { afterFirstFactor } from '../mfa/pending.ts'
import { SignInView } from '../sessions/sign-in-view.ts'

/** Most accounts of one address that a sign-in without a tenant tries. */
const TRIED_MAX = 3
/** Most accounts of one address that are read to find those. */
const READ_MAX = 25

export type Credentials = { email: string; password: string; tenant_id?: string | undefined }
export type SignedIn = { user: Stored<User>; tokens: PoolTokens }

/**
 * Throws 401 with one text for every mismatch, 429 after too many failures. Addresses under enforced single sign-on get 403
 * with its URL instead, whether or not the password is right.
 */
export async function checkSignIn(ctx: Context, credentials: Credentials): Promise<SignedIn> {
  const attempt = { email: credentials.email, ip: ctx.request.ip }
  await mustNotBeBlocked(ctx, attempt)
  const [known, sso] = await Promise.all([candidates(ctx, credentials), enforcedSso(ctx.table, credentials.email)])
  for (const { user, username } of known) {
    const tokens = await checkPassword(username, credentials.password.normalize('NFC'), attempt.ip)
    if (tokens !== 'refused' && user?.status === 'active' && (await mayUsePassword(ctx, user, sso))) {
      return { user, tokens }
    }
  }
  const country = (await countryOf(attempt.ip)) ?? undefined
  await Promise.all([
    noteFailure(ctx, { ...attempt, user: known.find(({ user }) => user)?.user }),
    ...known.map((candidate) => auditFailure(ctx, candidate, country)),
  ])
  throw sso
    ? signInAtProvider(sso)
    : new Failure('unauthenticated', 'The e-mail address or the password is incorrect. Check both and try again.')
}

type Candidate = { username: string; tenant_id: string; user_id: string; user: Stored<User> | undefined }

/**
 * The accounts to try, by their claims on the address; suspended and invited ones only when there is no active one. For an address
 * without an account, an account that does not exist, so that it takes the same calls.
 */
async function candidates(ctx: Context, { email, tenant_id }: Credentials): Promise<Candidate[]> {
  const hash = emailHash(email)
  const known = await claimsOn(ctx.table, email, tenant_id)
  const nobody = { username: ulid(ctx.now(), ctx.random), tenant_id: NOBODYS_TENANT, user_id: hash }
  const all = await Promise.all(
    (known.length > 0 ? known.slice(0, READ_MAX) : [nobody]).map(async (row) => {
      const user = await ctx.table.get(users, { tenant_id: row.tenant_id, id: row.user_id })
      return { ...row, user }
    }),
  )
  const open = all.filter(({ user }) => user?.status === 'active')
  return (open.length > 0 ? open : all).slice(0, TRIED_MAX)
}

const auditFailure = (ctx: Context, { tenant_id, user_id }: Candidate, country: string | undefined): Promise<void> =>
  writeAuditEntry(inTenant(ctx, tenant_id), {
    action: 'user.sign_in',
    subject: { type: 'user', id: user_id },
    outcome: 'failure',
    reason: 'wrong password or not allowed',
    country,
  })

export const loginShapes = {
  body: z.strictObject({
    email: Email,
    password: z.string().min(1).max(PASSWORD_MAX).describe('The password.'),
    /** Chooses among the accounts of an address with accounts in several tenants. */
    tenant_id: optional(id).describe('Id of the tenant.'),
  }),
  response: SignInView,
}

/**
 * Signs a person in, or answers what their second factor needs. Throws like `checkSignIn` and `afterFirstFactor`. Without `tenant_id`
 * the accounts of the address are tried in the order of their claims.
 */
export async function login(
  ctx: Context,
  input: z.output<typeof loginShapes.body>,
): Promise<SignInView | HttpResponse> {
  const { user, tokens } = await checkSignIn(ctx, input)
  const result = await afterFirstFactor(ctx, user, tokens, { method: 'password', amr: ['pwd'], trusted_mfa: false })
  // No session exists before the second factor, so there is nothing to record.
  return 'mfa_required' in result ? unchanged(result) : result
}
