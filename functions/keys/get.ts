import * as z from 'zod'
import { findKey, KeyView, keyView } from '../../shared/identity/access/key-view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { USER_STATUSES, users } from '../../shared/identity/accounts/user.ts'
import { keys } from './routes.ts'

export const shapes = {
  response: KeyView.extend({
    creator_status: z.enum(USER_STATUSES).nullable().describe("The state of the creator's account."),
  }),
}

export const handler = endpoint(keys.get, shapes, async ({ params, ctx }) => {
  const key = await findKey(ctx, params.id)
  const creator = await ctx.table.get(users, { tenant_id: ctx.space.tenant_id, id: key.created_by })
  return { ...keyView(key, ctx.now()), creator_status: creator?.status ?? null }
})
