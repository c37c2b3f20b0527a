import type { Context } from '../../base/context.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type CustomRole, customRoles } from './custom-role.ts'
import { isBuiltIn } from './roles.ts'

/** A role that can be changed. Throws the 409 of a built-in one, and the 404 of one that is not there. */
export async function findRole({ table, space }: Context, name: string): Promise<Stored<CustomRole>> {
  if (isBuiltIn(name)) throw conflict('Built-in roles cannot be changed.')
  const found = await table.get(customRoles, { tenant_id: space.tenant_id, name })
  if (!found) throw notFound('role')
  return found
}
