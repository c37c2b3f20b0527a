import { endpoint } from '../../shared/http/endpoint.ts'
import { scimAnswer } from '../../shared/scim/answers.ts'
import { readSearch } from '../../shared/scim/search.ts'
import { listDirectory } from '../../shared/scim/shelves.ts'
import { ListReply, SearchBody } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { body: SearchBody, reply: ListReply }

/** Users first, then groups. */
export const handler = endpoint(scim.searchAll, shapes, async ({ body, ctx }) =>
  scimAnswer(await listDirectory(ctx, readSearch(body))),
)
