import { endpoint } from '../../shared/edge/endpoint.ts'
import { resourceResponse } from '../../shared/identity/scim/responses.ts'
import { createGroup } from '../../shared/identity/scim/create-group.ts'
import { GROUP } from '../../shared/identity/scim/resource-type.ts'
import { readSelection } from '../../shared/identity/scim/search.ts'
import { showStoredGroup } from '../../shared/identity/scim/show.ts'
import { GroupBody, ScimGroupView, SelectionQuery } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: GroupBody, response: ScimGroupView }

export const handler = endpoint(scim.createGroup, shapes, async ({ query, body, ctx }) => {
  const selection = readSelection(query)
  const view = await showStoredGroup(ctx, await createGroup(ctx, body), selection)
  return resourceResponse(GROUP, view, { selection, status: 201 })
})
