import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListView, readQuerySearch, scimResponse, SearchQuery } from '../../shared/identity/scim/messages.ts'
import { listDirectory } from '../../shared/identity/scim/collections.ts'
import { scim } from './routes.ts'

export const shapes = { query: SearchQuery, response: ListView }

/** Users first, then groups. */
export const handler = endpoint(scim.listAll, shapes, async ({ query, ctx }) =>
  scimResponse(await listDirectory(ctx, readQuerySearch(query))),
)
