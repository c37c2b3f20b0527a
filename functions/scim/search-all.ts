import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimResponse } from '../../shared/identity/scim/responses.ts'
import { readSearch } from '../../shared/identity/scim/search.ts'
import { listDirectory } from '../../shared/identity/scim/collections.ts'
import { ListView, SearchBody } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { body: SearchBody, response: ListView }

/** Users first, then groups. */
export const handler = endpoint(scim.searchAll, shapes, async ({ body, ctx }) =>
  scimResponse(await listDirectory(ctx, readSearch(body))),
)
