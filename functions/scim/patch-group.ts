import { endpoint } from '../../shared/edge/endpoint.ts'
import {
  PatchBody,
  readSelection,
  resourceResponse,
  ScimGroupView,
  SelectionQuery,
  showStoredGroup,
} from '../../shared/identity/scim/messages.ts'
import { GROUP } from '../../shared/identity/scim/resource-type.ts'
import { patchGroup } from '../../shared/identity/scim/groups/update-group.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: PatchBody, response: ScimGroupView }

export const handler = endpoint(scim.patchGroup, shapes, async ({ params, query, body, headers, ctx }) => {
  const selection = readSelection(query)
  const { group, unchanged } = await patchGroup(ctx, params.id, body, headers['if-match'])
  return resourceResponse(GROUP, await showStoredGroup(ctx, group, selection), { selection, unchanged })
})
