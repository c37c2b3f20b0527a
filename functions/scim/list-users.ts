import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimAnswer } from '../../shared/identity/scim/answers.ts'
import { list } from '../../shared/identity/scim/list.ts'
import { readSearch } from '../../shared/identity/scim/search.ts'
import { PEOPLE } from '../../shared/identity/scim/shelves.ts'
import { ListReply, SearchQuery } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SearchQuery, reply: ListReply }

/** Oldest first. */
export const handler = endpoint(scim.listUsers, shapes, async ({ query, ctx }) =>
  scimAnswer(await list(ctx, PEOPLE, readSearch(query))),
)
