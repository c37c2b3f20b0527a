// Guards for changes that need the person, not only somebody who holds their session.
import { MINUTE_MS } from '../../base/lib/clock.ts'
import type { Context, Principal } from '../../base/context.ts'
import { type Failure, forbidden, personRequired } from '../../base/lib/failure.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import type { User } from '../accounts/user.ts'

const FRESH_MS = 10 * 60_000

type WithMfaPolicy = Pick<Tenant, 'mfa_policy'>

const isWithin = (at: number | undefined, ms: number, now: number) => at !== undefined && now - at < ms

/**
 * Throws 403 unless the person signed in within ten minutes or, if they have a factor, showed one in that time. For changes
 * of the factors themselves: a sign-in without the factor must not add or remove any.
 */
export function mustHaveFreshSignIn(ctx: Context): void {
  const { signed_in_at, mfa_at, mfa_enrolled } = ctx.principal
  const now = ctx.now()
  if (isWithin(mfa_at, FRESH_MS, now)) return
  if (mfa_enrolled) throw factorRequired()
  if (!isWithin(signed_in_at, FRESH_MS, now))
    throw forbidden('You signed in too long ago for this. Sign in again and repeat the request within ten minutes.', {
      code: 'sign_in_required',
    })
}

/**
 * Throws 403 where the tenant demands a recent second factor for sensitive changes and this session's is too old. Keys and
 * OAuth tokens pass: they cannot show a factor, and other rules limit their rights.
 */
export function mustHaveRecentFactor(ctx: Context, tenant: WithMfaPolicy): void {
  const { step_up_minutes } = tenant.mfa_policy
  if (step_up_minutes === 0 || !isSession(ctx.principal)) return
  if (hasShownFactor(ctx, step_up_minutes * MINUTE_MS, hasProviderFactor(ctx.principal, tenant))) return
  throw factorRequired()
}

/** The same for verbs that do not read the tenant otherwise. */
export async function mustHaveSteppedUp(ctx: Context): Promise<void> {
  if (isSession(ctx.principal)) mustHaveRecentFactor(ctx, await tenantOf(ctx.table, ctx.space.tenant_id))
}

/** Throws 403 for keys and OAuth tokens. */
export function mustBeSignedIn({ principal }: Context): void {
  if (!isSession(principal)) throw personRequired()
}

/**
 * For changes of access and rights by which somebody could act as others (decision 0044). Throws 403 unless the caller is a
 * person in a session who has shown a factor of their own within ten minutes, or within the tenant's shorter time.
 */
export function mustBeInPerson(ctx: Context, tenant: WithMfaPolicy): void {
  const { principal } = ctx
  const { step_up_minutes, idp_mfa_replaces_enrolled } = tenant.mfa_policy
  if (!isSession(principal)) throw forbidden(IN_PERSON, { code: 'person_required' })
  const maxAge = step_up_minutes === 0 ? FRESH_MS : Math.min(FRESH_MS, step_up_minutes * MINUTE_MS)
  if (hasShownFactor(ctx, maxAge, idp_mfa_replaces_enrolled && hasProviderFactor(principal, tenant))) return
  throw principal.mfa_enrolled ? factorRequired() : forbidden(ENROL, { code: 'enrolment_required' })
}

/** The same for verbs that do not read the tenant otherwise. */
export const mustActInPerson = async (ctx: Context): Promise<void> =>
  mustBeInPerson(ctx, await tenantOf(ctx.table, ctx.space.tenant_id))

/**
 * Whether a second factor that an identity provider verified counts for this account. It replaces a factor enrolled here only
 * where an owner allows it: otherwise the operator of the provider could act as anybody (decision 0045).
 */
export const countsFromProvider = (
  { mfa_policy }: WithMfaPolicy,
  { mfa_enrolled }: Pick<User, 'mfa_enrolled'>,
): boolean => mfa_policy.trust_idp_mfa && (!mfa_enrolled || mfa_policy.idp_mfa_replaces_enrolled)

/** Whether the second factor that the identity provider verified at the sign-in counts. */
const hasProviderFactor = ({ idp_mfa, mfa_enrolled = false }: Principal, tenant: WithMfaPolicy): boolean =>
  idp_mfa === true && countsFromProvider(tenant, { mfa_enrolled })

function hasShownFactor(ctx: Context, ms: number, byProvider: boolean): boolean {
  const { principal } = ctx
  const at = ctx.now()
  return isWithin(principal.mfa_at, ms, at) || (byProvider && isWithin(principal.signed_in_at, ms, at))
}

const isSession = ({ credential }: Principal) => credential === 'session'

const IN_PERSON =
  'Only a person may do this, not an API key or an OAuth token. Sign in, show a second factor and repeat the request.'

const ENROL =
  'This needs a second factor, and your account has none. Sign in, add one (POST /api/v1/auth/mfa/totp or ' +
  'POST /api/v1/auth/mfa/webauthn) and repeat the request within ten minutes.'

const factorRequired = (): Failure =>
  forbidden(
    'This needs a second factor that you have shown recently. Show one (POST /api/v1/auth/mfa/verify) and repeat the request.',
    { code: 'factor_required' },
  )

type Due = NonNullable<Principal['proof_due']>

const HOW: Record<Due, string> = {
  address: 'Open the link of the mail that POST /api/v1/auth/resend-verification sends',
  password: 'Set a password by the link of the mail that POST /api/v1/auth/password/forgot sends',
  provider: 'Ask an administrator to set your address',
}

/** `what`: what the person cannot do yet, as a sentence. `lacks`: the permission that it needs. */
export const proofRequired = (due: Due, what: string, lacks?: string): Failure =>
  forbidden(
    `${what} A directory has changed how your account is opened, so you have the permissions of a member until you prove ` +
      `that it is yours. ${HOW[due]}, or sign in through your identity provider. Then repeat the request.`,
    { code: 'proof_required', ...(lacks !== undefined && { lacks }) },
  )

/** Throws 403 while a directory could have opened the account (decision 0174). */
export function mustBeProven({ proof_due }: Pick<Principal, 'proof_due'>, what: string): void {
  if (proof_due !== undefined) throw proofRequired(proof_due, what)
}

/**
 * Throws 403 for a person whose address is not verified, and for a credential that such a person made (decision 0178). The
 * request layers call it for every row; pages and registration tokens, which pass no layer, call it themselves.
 */
export function mustHaveVerifiedEmail({
  email_verified,
  user_id,
}: Pick<Principal, 'email_verified' | 'user_id'>): void {
  if (email_verified === false) throw forbidden(user_id === undefined ? OF_MAKER : OWN, { code: 'address_unverified' })
}

const OWN =
  'Your e-mail address is not verified. Open the link in the mail that we sent you, then repeat the request. ' +
  'POST /api/v1/auth/resend-verification sends it again.'

const OF_MAKER =
  'The e-mail address of the person who made this credential is not verified. Ask them to open the link in their mail.'
