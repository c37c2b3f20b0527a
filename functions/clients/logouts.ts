import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView, paginate } from '../../shared/base/wire/pagination.ts'
import { ownClient } from '../../shared/identity/oauth/clients/client.ts'
import { sentLogouts, SentLogoutView, sentLogoutPartition } from '../../shared/identity/oauth/sent-logout.ts'
import { clients } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(SentLogoutView) }

export const handler = endpoint(clients.logouts, shapes, async ({ params, query, ctx }) => {
  const client = await ownClient(ctx, params.client_id)
  const name = `${clients.logouts.id}/${client.client_id}`
  return paginate(ctx, name, query, {
    of: sentLogouts,
    groups: [{ name: 'logouts', partitions: [sentLogoutPartition(client)] }],
  })
})
