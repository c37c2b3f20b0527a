// What a credential may do that somebody made for others to use: what it was given, as far as its maker may still do that.
import type { Permission } from '../../base/catalog/permissions.ts'
import type { Principal } from '../../base/context.ts'
import type { Table } from '../../base/table/table.ts'
import { type Person, personNow } from './permissions-now.ts'
import type { User } from './user.ts'

type Made = {
  tenant_id: string
  created_by: string
  /** Belongs to the tenant: no person's rights bound it. */
  service: boolean
}

/** The person behind a request, also where a key of theirs makes it: who answers for what it makes. */
export const personBehind = ({ user_id, creator, id }: Principal): string => user_id ?? creator ?? id

/** Reads whoever answers for a credential; undefined for one of the tenant's own. */
export const makerOf = async (table: Table, { tenant_id, created_by, service }: Made): Promise<Person | undefined> =>
  service ? undefined : personNow(table, { tenant_id, id: created_by })

/** Founders hold keys before they have accepted their invitation. */
export const mayAct = ({ status }: Pick<User, 'status'>): boolean => status === 'active' || status === 'invited'

/** Undefined once the maker is suspended or gone: then the credential is worth nothing. */
export function grantNow(
  { service, cap }: Pick<Made, 'service'> & { cap: readonly Permission[] },
  maker: Person | undefined,
): Set<Permission> | undefined {
  if (service) return new Set(cap)
  return maker && mayAct(maker.user) ? maker.permissions.intersection(new Set(cap)) : undefined
}
