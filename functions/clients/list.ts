import { endpoint } from '../../shared/http/endpoint.ts'
import { ListQuery, listReply, paginate } from '../../shared/http/pagination.ts'
import { clientsPartition, oauthClients } from '../../shared/oauth/client.ts'
import { ClientView, clientView } from '../../shared/oauth/client-view.ts'
import { clients } from './routes.ts'

export const shapes = { query: ListQuery, reply: listReply(ClientView) }

/** Newest first. */
export const handler = endpoint(clients.list, shapes, async ({ query, ctx }) => {
  const page = await paginate(ctx, clients.list.id, query, {
    of: oauthClients,
    index: 'gsi1',
    groups: [{ name: 'clients', partitions: [clientsPartition(ctx.space.tenant_id)] }],
  })
  return { ...page, items: page.items.map((client) => clientView(client, ctx.now())) }
})
