import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListView, readSearch, scimResponse, SearchBody } from '../../shared/identity/scim/messages.ts'
import { list } from '../../shared/identity/scim/list.ts'
import { PEOPLE } from '../../shared/identity/scim/collections.ts'
import { scim } from './routes.ts'

export const shapes = { body: SearchBody, response: ListView }

/** Oldest first. */
export const handler = endpoint(scim.searchUsers, shapes, async ({ body, ctx }) =>
  scimResponse(await list(ctx, PEOPLE, readSearch(body))),
)
