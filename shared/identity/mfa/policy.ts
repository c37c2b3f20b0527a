// Who must have a second factor, and who is asked for it. Pure.
import type { MfaPolicy, Tenant } from '../../base/tenant/tenant.ts'
import type { User } from '../users/user.ts'

const DAY_MS = 86_400_000

type Owing = Pick<User, 'mfa_enrolled' | 'created_at'>
type Ruled = Pick<Tenant, 'mfa_policy'>

/** The instant (ms) from which an account without a factor may do nothing but add one; undefined: never. */
export function enrolBy({ mfa_policy }: Ruled, { mfa_enrolled, created_at }: Owing): number | undefined {
  const { enforcement, grace_days, since } = mfa_policy
  if (enforcement !== 'required' || mfa_enrolled) return undefined
  return Math.max(Date.parse(created_at), since ? Date.parse(since) : 0) + grace_days * DAY_MS
}

/** Whether a sign-in of this account gives a session that may only enrol. */
export function needsEnrolment(tenant: Ruled, user: Owing, now: number): boolean {
  const due = enrolBy(tenant, user)
  return due !== undefined && due <= now
}

/**
 * Whether an identity provider's word for a second factor counts for this account. What the account has here it replaces
 * only where an owner has said so: else whoever runs the provider could pass for anybody.
 */
export const countsFromProvider = ({ mfa_policy }: Ruled, { mfa_enrolled }: Pick<Owing, 'mfa_enrolled'>): boolean =>
  mfa_policy.trust_idp_mfa && (!mfa_enrolled || mfa_policy.idp_mfa_replaces_enrolled)

/** `trusted`: an identity provider has asked for one. `demanded`: the sign-in looks like somebody else's. */
export type Occasion = { trusted: boolean; demanded: boolean }

/** Whether a sign-in waits for a second factor. Who has none cannot show one: `needsEnrolment` decides about those. */
export function asksForFactor(tenant: Ruled, user: Owing, { trusted, demanded }: Occasion): boolean {
  if (!user.mfa_enrolled || (trusted && countsFromProvider(tenant, user))) return false
  return demanded || tenant.mfa_policy.enforcement !== 'off'
}

/**
 * Whether factors of a kind may be added, also where no sign-in asks for one: changes of how people come in do. Those that
 * exist go on counting: to drop them would let a password alone in.
 */
export const mayEnrol = (
  { allowed_methods }: Pick<MfaPolicy, 'allowed_methods'>,
  method: MfaPolicy['allowed_methods'][number],
): boolean => allowed_methods.includes(method)
