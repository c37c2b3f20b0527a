// Who looks after a framework or a control. An owner has no rights by it.
import type { Context } from '../../base/context.ts'
import { invalid } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { personStays } from '../../govern/tasks/still-there.ts'

/** What holds a commit to the account of a new owner. Throws 422 for anybody else than an active user of the tenant. */
export async function ownerStays(ctx: Context, owner: string | null | undefined): Promise<Write[]> {
  if (typeof owner !== 'string') return []
  const stays = await personStays(ctx, owner)
  if (!stays) throw invalid(['owner_user_id'], 'must be an active user of this tenant')
  return stays
}
