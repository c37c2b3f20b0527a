import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { emailHash, emails, type User, users } from './user.ts'

/** Finds deleted accounts, too. Throws the same 404 for a missing account and another tenant's. */
export async function findAnyUser({ table, space }: Context, id: string): Promise<Stored<User>> {
  const found = await table.get(users, { tenant_id: space.tenant_id, id })
  if (!found) throw notFound('user')
  return found
}

/** Throws 404 for a deleted account, too. */
export async function findUser(ctx: Context, id: string): Promise<Stored<User>> {
  const found = await findAnyUser(ctx, id)
  if (found.status === 'deleted') throw notFound('user')
  return found
}

/** The account that holds an address of the tenant. Undefined, too, while the account is being created. */
export async function findUserByEmail({ table, space }: Context, email: string): Promise<Stored<User> | undefined> {
  const { tenant_id } = space
  const reservation = await table.get(emails, { email_hash: emailHash(email), tenant_id })
  return reservation?.user_id ? table.get(users, { tenant_id, id: reservation.user_id }) : undefined
}
