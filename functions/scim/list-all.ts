import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimResponse } from '../../shared/identity/scim/responses.ts'
import { readSearch } from '../../shared/identity/scim/search.ts'
import { listDirectory } from '../../shared/identity/scim/collections.ts'
import { ListView, SearchQuery } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SearchQuery, response: ListView }

/** Users first, then groups. */
export const handler = endpoint(scim.listAll, shapes, async ({ query, ctx }) =>
  scimResponse(await listDirectory(ctx, readSearch(query))),
)
