import type { Context } from '../../base/context.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { deprovision, type LeaveBehind } from './deprovision.ts'
import { findAnyUser } from '../accounts/find.ts'
import { mustOutrankToEnd } from '../access/outrank.ts'

type Deletion = { id: string; version?: number | undefined; leaveBehind: LeaveBehind }

/**
 * Deletes an account for good: only its id stays, and its access ends with the first commit. Throws 403 unless the caller outranks
 * the account, 409 for the own account and the last active owner. An earlier deletion that stopped half-way is completed before
 * this throws 404.
 */
export async function deleteUser(ctx: Context, { id, version, leaveBehind }: Deletion): Promise<void> {
  const user = await findAnyUser(ctx, id)
  if (user.status === 'deleted') {
    await deprovision(ctx, user, { to: 'deleted', source: 'api', leaveBehind })
    throw notFound('user')
  }
  mustBeCurrent(version, user._v)
  if (ctx.principal.user_id === id) throw conflict('You cannot delete your own account. Ask another owner.')
  await mustOutrankToEnd(ctx, user)
  await deprovision(ctx, user, { to: 'deleted', source: 'api', leaveBehind })
}
