// Nobody gives a permission that they do not hold, whether by role, grant, custom role or key.
import type { Context, Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { type Permission, PRIVILEGED } from '../../base/catalog/permissions.ts'
import { mustActInPerson } from './recent-factor.ts'

/** Throws 403 for permissions that the caller lacks. Everybody has `self`, so it does not count. */
export function mustBeAllowedToGive(
  { permissions }: Pick<Principal, 'permissions'>,
  given: Iterable<Permission>,
  refusal = 'You cannot give permissions that you do not hold',
): void {
  const lacking = [...new Set(given)].filter((one) => one !== 'self' && !permissions.has(one))
  if (lacking.length > 0) throw forbidden(`${refusal}: ${lacking.toSorted().join(', ')}. Ask somebody who holds them.`)
}

/**
 * The same for permissions of people. Also throws 403 unless the caller gives in person what is privileged and what the
 * people do not have yet: otherwise a stolen key could make an approver of its own (decision 0173). Says whether it is.
 */
export async function mustBeAllowedToGivePeople(
  ctx: Context,
  given: Iterable<Permission>,
  has: ReadonlySet<Permission> = new Set(),
): Promise<boolean> {
  const all = new Set(given)
  const isPrivileged = !all.difference(has).isDisjointFrom(PRIVILEGED)
  if (isPrivileged) await mustActInPerson(ctx)
  mustBeAllowedToGive(ctx.principal, all)
  return isPrivileged
}
