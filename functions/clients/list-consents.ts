import { endpoint } from '../../shared/edge/endpoint.ts'
import { id } from '../../shared/base/wire/fields.ts'
import { ListQuery, listView, paginate } from '../../shared/base/wire/pagination.ts'
import { consentsIn, ConsentView, consentViews } from '../../shared/identity/oauth/clients/application.ts'
import { clients } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({
    client_id: id
      .optional()
      .describe('The id of the OAuth client.')
      .meta({ examples: ['cli_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'] }),
    user_id: id.optional().describe('Only of this person.'),
  }),
  response: listView(ConsentView),
}

/** By client and person. */
export const handler = endpoint(clients.listConsents, shapes, async ({ query, ctx }) => {
  const page = await paginate(ctx, clients.listConsents.id, query, await consentsIn(ctx, query))
  return { ...page, items: await consentViews(ctx, page.items) }
})
