// Nobody gives what they do not hold: no role, grant, custom role or key reaches further than the hand that makes it.
import type { Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import type { Permission } from '../../base/catalog/permissions.ts'

/** `self` is what every person may do with their own account; giving it gives nothing. */
export function mustBeAllowedToGive(
  { permissions }: Pick<Principal, 'permissions'>,
  given: Iterable<Permission>,
  refusal = 'You cannot give what you do not hold',
): void {
  const lacking = [...new Set(given)].filter((one) => one !== 'self' && !permissions.has(one))
  if (lacking.length > 0) throw forbidden(`${refusal}: ${lacking.toSorted().join(', ')}.`)
}
