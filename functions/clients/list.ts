import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView, paginate } from '../../shared/base/wire/pagination.ts'
import {
  clientsPartition,
  ClientView,
  clientView,
  documentClientsPartition,
  type OAuthClient,
  oauthClients,
} from '../../shared/identity/oauth/clients/client.ts'
import { clients } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({
    created_by: z.string().optional().describe('Only resources that this person created.'),
    service: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: only credentials of the tenant; `false`: only credentials that end with their creator.'),
  }),
  response: listView(ClientView),
}

/** Newest first; after the registered clients those that documents describe. */
export const handler = endpoint(clients.list, shapes, async ({ query, ctx }) => {
  const { created_by, service } = query
  const matches = (item: OAuthClient) =>
    (created_by ?? item.created_by) === item.created_by && (service ?? String(item.service)) === String(item.service)
  const page = await paginate(ctx, clients.list.id, query, {
    of: oauthClients,
    index: 'gsi1',
    groups: [
      { name: 'clients', partitions: [clientsPartition(ctx.space.tenant_id)] },
      { name: 'documents', partitions: [documentClientsPartition(ctx.space.tenant_id)] },
    ],
    filter: (created_by ?? service) ? matches : undefined,
  })
  return { ...page, items: page.items.map((client) => clientView(client, ctx.now())) }
})
