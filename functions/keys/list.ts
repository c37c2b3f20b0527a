import * as z from 'zod'
import { type ApiKey, apiKeys, KEY_STATUSES, keysPartition, statusOf } from '../../shared/identity/access/api-key.ts'
import { KeyView, keyView } from '../../shared/identity/access/key-view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView, paginate } from '../../shared/base/wire/pagination.ts'
import { MODES } from '../../shared/base/table/members.ts'
import { keys } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({
    status: z.enum(KEY_STATUSES).optional().describe('Only those in this state.'),
    kind: z.enum(MODES).optional().describe('Only keys of real data, or only those of the sandbox.'),
    created_by: z.string().optional().describe('Only resources that this person created.'),
    service: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: only credentials of the tenant; `false`: only credentials that end with their creator.'),
  }),
  response: listView(KeyView),
}

/** Newest first. */
export const handler = endpoint(keys.list, shapes, async ({ query, ctx }) => {
  const { status, kind, created_by, service } = query
  const now = ctx.now()
  const matches = (item: ApiKey) =>
    (status ?? statusOf(item, now)) === statusOf(item, now) &&
    (kind ?? item.kind) === item.kind &&
    (created_by ?? item.created_by) === item.created_by &&
    (service ?? String(item.service)) === String(item.service)
  const page = await paginate(ctx, keys.list.id, query, {
    of: apiKeys,
    index: 'gsi1',
    groups: [{ name: 'keys', partitions: [keysPartition(ctx.space.tenant_id)] }],
    filter: (status ?? kind ?? created_by ?? service) ? matches : undefined,
  })
  return { ...page, items: page.items.map((item) => keyView(item, now)) }
})
