import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimResponse } from '../../shared/identity/scim/responses.ts'
import { list } from '../../shared/identity/scim/list.ts'
import { readSearch } from '../../shared/identity/scim/search.ts'
import { GROUPS } from '../../shared/identity/scim/collections.ts'
import { ListView, SearchQuery } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SearchQuery, response: ListView }

/** Oldest first. */
export const handler = endpoint(scim.listGroups, shapes, async ({ query, ctx }) =>
  scimResponse(await list(ctx, GROUPS, readSearch(query))),
)
