// Who must have a second factor, and who is asked for it. Pure.
import type { MfaPolicy, Tenant } from '../tenants/tenant.ts'
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
export function mustEnrol(tenant: Ruled, user: Owing, now: number): boolean {
  const due = enrolBy(tenant, user)
  return due !== undefined && due <= now
}

/** `trusted`: an identity provider has asked for one. `demanded`: the sign-in looks like somebody else's. */
export type Occasion = { trusted: boolean; demanded: boolean }

/** Whether a sign-in waits for a second factor. Who has none cannot show one: `mustEnrol` decides about those. */
export function asksForFactor(
  { mfa_policy }: Ruled,
  { mfa_enrolled }: Owing,
  { trusted, demanded }: Occasion,
): boolean {
  if (!mfa_enrolled || (trusted && mfa_policy.trust_idp_mfa)) return false
  return demanded || mfa_policy.enforcement !== 'off'
}

/** Whether factors of a kind may be added. Those that exist go on counting: to drop them would let a password alone in. */
export const mayEnrol = (
  { enforcement, allowed_methods }: Pick<MfaPolicy, 'enforcement' | 'allowed_methods'>,
  method: MfaPolicy['allowed_methods'][number],
) => enforcement !== 'off' && allowed_methods.includes(method)
