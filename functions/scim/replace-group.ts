import { endpoint } from '../../shared/edge/endpoint.ts'
import { resourceResponse } from '../../shared/identity/scim/responses.ts'
import { GROUP } from '../../shared/identity/scim/resource-type.ts'
import { readSelection } from '../../shared/identity/scim/search.ts'
import { showStoredGroup } from '../../shared/identity/scim/show.ts'
import { replaceGroup } from '../../shared/identity/scim/update-group.ts'
import { GroupBody, ScimGroupView, SelectionQuery } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: GroupBody, response: ScimGroupView }

export const handler = endpoint(scim.replaceGroup, shapes, async ({ params, query, body, headers, ctx }) => {
  const selection = readSelection(query)
  const { group, unchanged } = await replaceGroup(ctx, params.id, body, headers['if-match'])
  return resourceResponse(GROUP, await showStoredGroup(ctx, group, selection), { selection, unchanged })
})
