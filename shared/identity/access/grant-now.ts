// What a credential may do now: the permissions it was given, limited to those its maker still holds (decision 0041).
import type { Permission } from '../../base/catalog/permissions.ts'
import type { Principal } from '../../base/context.ts'
import type { Table } from '../../base/table/table.ts'
import { type Person, personNow } from './permissions-now.ts'
import type { User } from '../accounts/user.ts'

type Made = {
  tenant_id: string
  created_by: string
  /** Belongs to the tenant: no person's rights limit it. */
  service: boolean
}

/** The person responsible for a request, also when one of their keys makes it. */
export const personBehind = ({ user_id, creator, id }: Principal): string => user_id ?? creator ?? id

/** Reads the maker of a credential; undefined for a credential of the tenant. */
export const makerOf = async (table: Table, { tenant_id, created_by, service }: Made): Promise<Person | undefined> =>
  service ? undefined : personNow(table, { tenant_id, id: created_by })

/** Invited people count, too: founders hold keys before they accept their invitation. */
export const mayAct = ({ status }: Pick<User, 'status'>): boolean => status === 'active' || status === 'invited'

/** Undefined once the maker is suspended or deleted: then the credential may do nothing. */
export function grantNow(
  { service, cap }: Pick<Made, 'service'> & { cap: readonly Permission[] },
  maker: Person | undefined,
): Set<Permission> | undefined {
  if (service) return new Set(cap)
  return maker && mayAct(maker.user) ? maker.permissions.intersection(new Set(cap)) : undefined
}
