import '../effects.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import {
  PatchBody,
  readSelection,
  resourceResponse,
  ScimUserView,
  SelectionQuery,
  showPerson,
} from '../../shared/identity/scim/messages.ts'
import { USER } from '../../shared/identity/scim/resource-type.ts'
import { patchUser } from '../../shared/identity/scim/users/update-user.ts'
import { leaveBehindLater as leaveBehind } from '../../shared/people/credentials/leave-behind-later.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: PatchBody, response: ScimUserView }

export const handler = endpoint(scim.patchUser, shapes, async ({ params, query, body, headers, ctx }) => {
  const selection = readSelection(query)
  const { person, unchanged } = await patchUser(ctx, params.id, body, { ifMatch: headers['if-match'], leaveBehind })
  return resourceResponse(USER, await showPerson(ctx, person, selection), { selection, unchanged })
})
