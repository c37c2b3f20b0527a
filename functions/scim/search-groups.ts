import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimAnswer } from '../../shared/identity/scim/answers.ts'
import { list } from '../../shared/identity/scim/list.ts'
import { readSearch } from '../../shared/identity/scim/search.ts'
import { GROUPS } from '../../shared/identity/scim/shelves.ts'
import { ListReply, SearchBody } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { body: SearchBody, reply: ListReply }

/** Oldest first. */
export const handler = endpoint(scim.searchGroups, shapes, async ({ body, ctx }) =>
  scimAnswer(await list(ctx, GROUPS, readSearch(body))),
)
