import { endpoint } from '../../shared/http/endpoint.ts'
import { scimAnswer } from '../../shared/scim/answers.ts'
import { list } from '../../shared/scim/list.ts'
import { readSearch } from '../../shared/scim/search.ts'
import { GROUPS } from '../../shared/scim/shelves.ts'
import { ListReply, SearchQuery } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SearchQuery, reply: ListReply }

/** Oldest first. */
export const handler = endpoint(scim.listGroups, shapes, async ({ query, ctx }) =>
  scimAnswer(await list(ctx, GROUPS, readSearch(query))),
)
