import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView, paginate } from '../../shared/base/wire/pagination.ts'
import { FREEZE_STATUSES, freezes, freezesPartition } from '../../shared/govern/freezes/freeze.ts'
import { FreezeView, freezeViews } from '../../shared/govern/freezes/view.ts'
import { security } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({ status: z.enum(FREEZE_STATUSES).optional().describe('Only those in this state.') }),
  response: listView(FreezeView),
}

/** Newest first. */
export const handler = endpoint(security.listFreezes, shapes, async ({ query, ctx }) => {
  const { status } = query
  const page = await paginate(ctx, 'security-list-freezes', query, {
    of: freezes,
    groups: [{ name: 'freezes', partitions: [freezesPartition(ctx.space)] }],
    filter: status === undefined ? undefined : (freeze) => freeze.status === status,
  })
  return { ...page, items: await freezeViews(ctx, page.items) }
})
