import { endpoint } from '../../shared/edge/endpoint.ts'
import {
  readSelection,
  resourceResponse,
  ScimUserView,
  SelectionQuery,
  showUser,
} from '../../shared/identity/scim/messages.ts'
import { USER } from '../../shared/identity/scim/resource-type.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, response: ScimUserView }

export const handler = endpoint(scim.getUser, shapes, async ({ params, query, ctx }) => {
  const selection = readSelection(query)
  return resourceResponse(USER, await showUser(ctx, params.id, selection), { selection })
})
