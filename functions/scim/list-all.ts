import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimAnswer } from '../../shared/identity/scim/answers.ts'
import { readSearch } from '../../shared/identity/scim/search.ts'
import { listDirectory } from '../../shared/identity/scim/shelves.ts'
import { ListReply, SearchQuery } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SearchQuery, reply: ListReply }

/** Users first, then groups. */
export const handler = endpoint(scim.listAll, shapes, async ({ query, ctx }) =>
  scimAnswer(await listDirectory(ctx, readSearch(query))),
)
