import { endpoint } from '../../shared/edge/endpoint.ts'
import {
  readSelection,
  resourceResponse,
  ScimUserView,
  SelectionQuery,
  UserBody,
} from '../../shared/identity/scim/messages.ts'
import { createUser } from '../../shared/identity/scim/users/create-user.ts'
import { USER } from '../../shared/identity/scim/resource-type.ts'
import { userView } from '../../shared/identity/scim/users/user.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: UserBody, response: ScimUserView }

export const handler = endpoint(scim.createUser, shapes, async ({ query, body, ctx }) => {
  const view = userView(await createUser(ctx, body), undefined)
  return resourceResponse(USER, view, { selection: readSelection(query), status: 201 })
})
