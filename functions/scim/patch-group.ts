import { endpoint } from '../../shared/edge/endpoint.ts'
import { resourceResponse } from '../../shared/identity/scim/responses.ts'
import { GROUP } from '../../shared/identity/scim/resource-type.ts'
import { readSelection } from '../../shared/identity/scim/search.ts'
import { showStoredGroup } from '../../shared/identity/scim/show.ts'
import { patchGroup } from '../../shared/identity/scim/update-group.ts'
import { ScimGroupView, PatchBody, SelectionQuery } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: PatchBody, response: ScimGroupView }

export const handler = endpoint(scim.patchGroup, shapes, async ({ params, query, body, headers, ctx }) => {
  const selection = readSelection(query)
  const { group, unchanged } = await patchGroup(ctx, params.id, body, headers['if-match'])
  return resourceResponse(GROUP, await showStoredGroup(ctx, group, selection), { selection, unchanged })
})
