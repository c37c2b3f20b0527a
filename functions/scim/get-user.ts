import { endpoint } from '../../shared/edge/endpoint.ts'
import { resourceResponse } from '../../shared/identity/scim/responses.ts'
import { USER } from '../../shared/identity/scim/resource-type.ts'
import { readSelection } from '../../shared/identity/scim/search.ts'
import { showUser } from '../../shared/identity/scim/show.ts'
import { SelectionQuery, ScimUserView } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, response: ScimUserView }

export const handler = endpoint(scim.getUser, shapes, async ({ params, query, ctx }) => {
  const selection = readSelection(query)
  return resourceResponse(USER, await showUser(ctx, params.id, selection), { selection })
})
