import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimResponse } from '../../shared/identity/scim/responses.ts'
import { list } from '../../shared/identity/scim/list.ts'
import { readSearch } from '../../shared/identity/scim/search.ts'
import { PEOPLE } from '../../shared/identity/scim/collections.ts'
import { ListView, SearchBody } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { body: SearchBody, response: ListView }

/** Oldest first. */
export const handler = endpoint(scim.searchUsers, shapes, async ({ body, ctx }) =>
  scimResponse(await list(ctx, PEOPLE, readSearch(body))),
)
