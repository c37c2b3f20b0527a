import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimAnswer } from '../../shared/identity/scim/answers.ts'
import { readSearch } from '../../shared/identity/scim/search.ts'
import { listDirectory } from '../../shared/identity/scim/shelves.ts'
import { ListReply, SearchBody } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { body: SearchBody, reply: ListReply }

/** Users first, then groups. */
export const handler = endpoint(scim.searchAll, shapes, async ({ body, ctx }) =>
  scimAnswer(await listDirectory(ctx, readSearch(body))),
)
