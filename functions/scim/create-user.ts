import { endpoint } from '../../shared/edge/endpoint.ts'
import { resourceResponse } from '../../shared/identity/scim/responses.ts'
import { createUser } from '../../shared/identity/scim/create-user.ts'
import { USER } from '../../shared/identity/scim/resource-type.ts'
import { readSelection } from '../../shared/identity/scim/search.ts'
import { userView } from '../../shared/identity/scim/user-view.ts'
import { SelectionQuery, UserBody, ScimUserView } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: UserBody, response: ScimUserView }

export const handler = endpoint(scim.createUser, shapes, async ({ query, body, ctx }) => {
  const view = userView(await createUser(ctx, body), undefined)
  return resourceResponse(USER, view, { selection: readSelection(query), status: 201 })
})
