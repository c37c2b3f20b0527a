import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListView, readSearch, scimResponse, SearchBody } from '../../shared/identity/scim/messages.ts'
import { listDirectory } from '../../shared/identity/scim/collections.ts'
import { scim } from './routes.ts'

export const shapes = { body: SearchBody, response: ListView }

/** Users first, then groups. */
export const handler = endpoint(scim.searchAll, shapes, async ({ body, ctx }) =>
  scimResponse(await listDirectory(ctx, readSearch(body))),
)
