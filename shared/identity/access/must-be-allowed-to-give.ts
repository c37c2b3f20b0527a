// Nobody gives a permission that they do not hold, whether by role, grant, custom role or key.
import type { Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import type { Permission } from '../../base/catalog/permissions.ts'

/** Throws 403 for permissions that the caller lacks. Everybody has `self`, so it does not count. */
export function mustBeAllowedToGive(
  { permissions }: Pick<Principal, 'permissions'>,
  given: Iterable<Permission>,
  refusal = 'You cannot give permissions that you do not hold',
): void {
  const lacking = [...new Set(given)].filter((one) => one !== 'self' && !permissions.has(one))
  if (lacking.length > 0) throw forbidden(`${refusal}: ${lacking.toSorted().join(', ')}. Ask somebody who holds them.`)
}
