import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView, paginate } from '../../shared/base/wire/pagination.ts'
import { ownClient } from '../../shared/identity/oauth/clients/client.ts'
import { toldLogouts, ToldLogoutView, toldPartition } from '../../shared/identity/oauth/sent-logout.ts'
import { clients } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(ToldLogoutView) }

export const handler = endpoint(clients.logouts, shapes, async ({ params, query, ctx }) => {
  const client = await ownClient(ctx, params.client_id)
  const name = `${clients.logouts.id}/${client.client_id}`
  return paginate(ctx, name, query, {
    of: toldLogouts,
    groups: [{ name: 'logouts', partitions: [toldPartition(client)] }],
  })
})
