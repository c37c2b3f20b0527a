// Who must have a second factor, and who is asked for it. Pure.
import { DAY_MS } from '../../base/lib/clock.ts'
import { MfaPolicy, type Tenant } from '../../base/tenant/tenant.ts'
import { countsFromProvider } from '../access/assurance.ts'
import type { User } from '../accounts/user.ts'
import * as z from 'zod'

type Enrolment = Pick<User, 'mfa_enrolled' | 'created_at'>
type WithMfaPolicy = Pick<Tenant, 'mfa_policy'>

/** The instant (ms) from which an account without a factor may do nothing but add one; undefined: never. */
export function enrolBy({ mfa_policy }: WithMfaPolicy, { mfa_enrolled, created_at }: Enrolment): number | undefined {
  const { enforcement, grace_days, since } = mfa_policy
  if (enforcement !== 'required' || mfa_enrolled) return undefined
  return Math.max(Date.parse(created_at), since ? Date.parse(since) : 0) + grace_days * DAY_MS
}

/** Whether a sign-in of this account gives a session that may only enrol. */
export function needsEnrolment(tenant: WithMfaPolicy, user: Enrolment, now: number): boolean {
  const due = enrolBy(tenant, user)
  return due !== undefined && due <= now
}

/** `trusted`: an identity provider has verified one. `demanded`: the sign-in is suspicious. */
export type Occasion = { trusted: boolean; demanded: boolean }

/** Whether a sign-in waits for a second factor. For people without one, `needsEnrolment` decides. */
export function asksForFactor(tenant: WithMfaPolicy, user: Enrolment, { trusted, demanded }: Occasion): boolean {
  if (!user.mfa_enrolled || (trusted && countsFromProvider(tenant, user))) return false
  return demanded || tenant.mfa_policy.enforcement !== 'off'
}

/** Whether a passkey may be the only thing that a sign-in asks for. */
export const maySignInByPasskey = ({ mfa_policy }: WithMfaPolicy): boolean =>
  mfa_policy.passkey_sign_in && mayEnrol(mfa_policy, 'webauthn')

/**
 * Whether factors of this kind may be added, also where sign-ins need none, because changes of access need one. Existing
 * factors of other kinds stay valid: without them a password alone would be enough.
 */
export const mayEnrol = (
  { allowed_methods }: Pick<MfaPolicy, 'allowed_methods'>,
  method: MfaPolicy['allowed_methods'][number],
): boolean => allowed_methods.includes(method)

/** The version is the tenant's, because the policy is a part of it. */
export const MfaPolicyView = MfaPolicy.extend({
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})
