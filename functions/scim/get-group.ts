import { endpoint } from '../../shared/edge/endpoint.ts'
import { resourceResponse } from '../../shared/identity/scim/responses.ts'
import { GROUP } from '../../shared/identity/scim/resource-type.ts'
import { readSelection } from '../../shared/identity/scim/search.ts'
import { showGroup } from '../../shared/identity/scim/show.ts'
import { ScimGroupView, SelectionQuery } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, response: ScimGroupView }

export const handler = endpoint(scim.getGroup, shapes, async ({ params, query, ctx }) => {
  const selection = readSelection(query)
  return resourceResponse(GROUP, await showGroup(ctx, params.id, selection), { selection })
})
