import { endpoint } from '../../shared/edge/endpoint.ts'
import {
  GroupBody,
  readSelection,
  resourceResponse,
  ScimGroupView,
  SelectionQuery,
  showStoredGroup,
} from '../../shared/identity/scim/messages.ts'
import { createGroup } from '../../shared/identity/scim/groups/create-group.ts'
import { GROUP } from '../../shared/identity/scim/resource-type.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: GroupBody, response: ScimGroupView }

export const handler = endpoint(scim.createGroup, shapes, async ({ query, body, ctx }) => {
  const selection = readSelection(query)
  const view = await showStoredGroup(ctx, await createGroup(ctx, body), selection)
  return resourceResponse(GROUP, view, { selection, status: 201 })
})
