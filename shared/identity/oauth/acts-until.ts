// How long somebody acts by a sign-in of a browser. Every function asks this, so it stays apart from the OAuth library.
import type { SignIn } from 'oidc-provider'
import type { Table } from '../../base/table/table.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import type { User } from '../accounts/user.ts'
import { hasEndedSince } from '../sessions/slo-handle.ts'

type Resting = { user: User; tenant: Tenant; sign_in: SignIn; isBrowser: boolean }

/**
 * The Unix second until which somebody acts by a sign-in, as far as it is known; undefined when it has ended. A browser stays
 * signed in as long as the tenant lets a session last. So does what was granted there, if the person has roles that an identity
 * provider gave: who left a group there has to sign in to keep acting, and loses the roles then.
 */
export async function actsUntil(
  table: Table,
  { user, tenant, sign_in, isBrowser }: Resting,
): Promise<number | undefined> {
  const { at, slo_key, ends_at = Number.POSITIVE_INFINITY } = sign_in
  const isBounded = isBrowser || user.sso_roles.length > 0
  const until = isBounded ? Math.min(ends_at, at + tenant.session_policy.lifetime_s) : ends_at
  if (until * 1_000 <= table.clock.now()) return undefined
  const over = slo_key !== undefined && (await hasEndedSince(table, { tenant_id: user.tenant_id, slo_key, since: at }))
  return over ? undefined : until
}
