// Whether somebody still has access here: once a person has none, nothing acts in their name any more.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { users } from '../../identity/accounts/user.ts'
import { findKey } from '../../identity/access/key-view.ts'
import type { Actor } from './connection.ts'

export async function isStillHere(ctx: Context, { type, id }: Actor): Promise<boolean> {
  if (type === 'user') return isActive(ctx, id)
  if (type !== 'api_key') return true
  const key = await findKey(ctx, id).catch(missing)
  // A key of the tenant outlives its maker, and so does what was made with it.
  return key !== undefined && (key.service || isActive(ctx, key.created_by))
}

const isActive = async ({ table, space }: Context, id: string): Promise<boolean> =>
  (await table.get(users, { tenant_id: space.tenant_id, id }))?.status === 'active'

export const missing = (error: unknown): undefined => {
  if (error instanceof Failure && error.kind === 'not_found') return undefined
  throw error
}
