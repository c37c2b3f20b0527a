// What follows a correct first factor: a session, or a sign-in that waits for its second factor. While it waits, the pool's tokens
// are stored sealed for five minutes. No session exists yet, so these tokens would not be accepted.
import * as z from 'zod'
import { hashOf, newSecret } from '../access/one-time.ts'
import type { Context } from '../../base/context.ts'
import { textSeal } from '../../ledger/sealing/seal.ts'
import { mustBeAllowedIn, openSession, type SignIn } from '../sessions/open-session.ts'
import type { MfaRequired, SignInView } from '../sessions/sign-in-view.ts'
import { bound } from '../../base/table/bound.ts'
import { key, type Stored, type Write } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import type { PoolTokens } from '../accounts/pool.ts'
import type { User } from '../accounts/user.ts'
import { factorsOf, homeOf, recoveryCodes } from './factor.ts'
import type { Method } from './show-factor.ts'
import { askForPasskey } from './webauthn-options.ts'
import { noteSuccess, rememberSignIn } from '../security-events/note-success.ts'
import { asksForFactor, needsEnrolment } from './policy.ts'
import { countsFromProvider } from '../access/assurance.ts'
import { tenantOf } from '../../base/tenant/find.ts'

const LIFE_MS = 300_000
const TRIES_MAX = 5

/** What is known of the sign-in before its second factor is shown. */
export type PendingSignIn = Omit<SignIn, 'method' | 'mfa' | 'mfa_at' | 'idp_mfa' | 'state'> & {
  method: 'password' | 'sso'
}

export const Pending = z.object({
  hash: z.string(),
  tenant_id: z.string(),
  user_id: z.string(),
  /** Sealed JSON of the pool's tokens. */
  tokens: z.string(),
  begun: z.object({
    method: z.enum(['password', 'sso']),
    amr: z.array(z.string()),
    anomaly_score: z.number(),
    country: z.string().nullable(),
    session_cap: z.string().optional(),
    slo_key: z.string().optional(),
  }),
  challenge_id: z.string().optional(),
  tries: z.int(),
  /** ms. */
  created_at: z.int(),
  expires_at: z.int(),
})
export type Pending = z.output<typeof Pending>

export const pendings = bound({
  name: 'PENDING',
  schema: Pending,
  key: ({ hash }: { hash: string }) => ({ pk: key('PENDING', hash), sk: 'PENDING' }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
  free: ['tries'],
})

const sealed = textSeal('tokens')

/** Keeps the tokens, and returns how the person can finish the sign-in. For accounts that have a factor. */
async function keepPending(
  ctx: Context,
  user: User,
  tokens: PoolTokens,
  { amr, ...begun }: PendingSignIn,
): Promise<MfaRequired> {
  const mfa_token = newSecret(ctx.random)
  const hash = hashOf(mfa_token)
  const { tenant_id, id: user_id } = user
  const [known, recovery] = await Promise.all([
    factorsOf(ctx.table, user),
    ctx.table.get(recoveryCodes, { tenant_id, user_id }),
  ])
  const [webauthn, kept] = await Promise.all([
    askForPasskey(ctx, user, known),
    sealed.seal(homeOf(user), pendings.key({ hash }), JSON.stringify(tokens)),
  ])
  const now = ctx.now()
  const item = { hash, tenant_id, user_id, tokens: kept, begun: { ...begun, amr: [...amr] }, tries: 0 }
  const times = { created_at: now, expires_at: now + LIFE_MS }
  await ctx.table.commit([pendings.insert({ ...item, ...times, challenge_id: webauthn?.challenge_id })])
  const methods: Method[] = [...new Set<Method>(known.map(({ type }) => type))]
  if (recovery && recovery.codes.length > 0) methods.push('recovery_code')
  return {
    mfa_required: true,
    mfa_token,
    methods,
    expires_in: LIFE_MS / 1_000,
    ...(webauthn && { webauthn: { ...webauthn, options: { ...webauthn.options } } }),
  }
}

/** Undefined for an unknown or expired token. */
export async function findPending(ctx: Context, mfa_token: string): Promise<Stored<Pending> | undefined> {
  const found = await ctx.table.get(pendings, { hash: hashOf(mfa_token) })
  return found && found.expires_at > ctx.now() ? found : undefined
}

/** Uses one of the five attempts; false when none is left. Call it before the factor is checked. */
export async function takeTry(ctx: Context, { hash }: Pending): Promise<boolean> {
  const condition = {
    expression: '#tries < :max AND #expires_at > :now',
    names: { '#tries': 'tries', '#expires_at': 'expires_at' },
    values: { ':max': TRIES_MAX, ':now': ctx.now() },
  }
  return isFirst(ctx.table.commit([pendings.update({ hash }, { add: { tries: 1 }, condition })]))
}

/** The write that uses up a pending sign-in, and its tokens with the rest of their life. */
export async function release(ctx: Context, pending: Pending): Promise<{ write: Write; tokens: PoolTokens }> {
  const { hash } = pending
  const text = await sealed.open(homeOf(pending), pendings.key({ hash }), pending.tokens)
  const tokens = JSON.parse(text) as PoolTokens // what `keepPending` has sealed
  const waited = Math.ceil((ctx.now() - pending.created_at) / 1_000)
  return {
    write: pendings.remove({ hash }, { expression: 'attribute_exists(pk)' }),
    tokens: { ...tokens, expires_in: tokens.expires_in - waited },
  }
}

export type FirstFactor = {
  method: 'password' | 'sso'
  /** RFC 8176. */
  amr: readonly string[]
  /** The identity provider has verified a second factor. */
  trusted_mfa: boolean
  /** When the identity provider ends the session (ISO 8601). */
  session_cap?: string | undefined
  slo_key?: string | undefined
}

/**
 * Continues a sign-in after its first factor: checks the tenant, and asks for a second factor where needed or opens a session.
 * Throws 403 for a tenant that is not active or does not accept the address, 429 for impossible travel where the tenant blocks it.
 */
export async function afterFirstFactor(
  ctx: Context,
  user: Stored<User>,
  tokens: PoolTokens,
  { trusted_mfa, ...factor }: FirstFactor,
): Promise<SignInView> {
  const tenant = await tenantOf(ctx.table, user.tenant_id)
  await mustBeAllowedIn(ctx, user, tenant)
  const { ip, user_agent } = ctx.request
  const { score: anomaly_score, country, demand_second_factor } = await noteSuccess(ctx, { user, ip, user_agent })
  const signIn = { ...factor, anomaly_score, country }
  const trusted = trusted_mfa && countsFromProvider(tenant, user)
  if (asksForFactor(tenant, user, { trusted, demanded: demand_second_factor })) {
    return keepPending(ctx, user, tokens, signIn)
  }
  const result = await openSession(ctx, user, tokens, {
    ...signIn,
    mfa: 'none',
    ...(trusted && { idp_mfa: true }),
    state: !trusted && needsEnrolment(tenant, user, ctx.now()) ? 'enrol_only' : 'active',
  })
  if (user.mfa_enrolled) await rememberSignIn(ctx, { user, ip, user_agent, country }) // `noteSuccess` remembers the others
  return result
}
