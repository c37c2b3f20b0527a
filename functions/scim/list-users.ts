import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListView, readQuerySearch, scimResponse, SearchQuery } from '../../shared/identity/scim/messages.ts'
import { list } from '../../shared/identity/scim/list.ts'
import { PEOPLE } from '../../shared/identity/scim/collections.ts'
import { scim } from './routes.ts'

export const shapes = { query: SearchQuery, response: ListView }

/** Oldest first. */
export const handler = endpoint(scim.listUsers, shapes, async ({ query, ctx }) =>
  scimResponse(await list(ctx, PEOPLE, readQuerySearch(query))),
)
