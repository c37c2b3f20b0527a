import type { Context } from '../../base/context.ts'
import { personRequired } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type User, users } from './user.ts'

/** The account of the caller. Throws 403 when the caller is not a person. */
export async function ownUser({ table, space, principal }: Context): Promise<Stored<User>> {
  const { user_id } = principal
  const user = user_id === undefined ? undefined : await table.get(users, { tenant_id: space.tenant_id, id: user_id })
  if (!user) throw personRequired()
  return user
}
