import type { Context } from '../../base/context.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type CustomRole, customRoles } from '../access/permissions.ts'
import { isBuiltIn } from '../access/roles.ts'

/** Finds a custom role. Throws 409 for a built-in role, 404 for a missing one. */
export async function findRole({ table, space }: Context, name: string): Promise<Stored<CustomRole>> {
  if (isBuiltIn(name)) throw conflict('You cannot change a built-in role. Create a custom role instead.')
  const found = await table.get(customRoles, { tenant_id: space.tenant_id, name })
  if (!found) throw notFound('role')
  return found
}
