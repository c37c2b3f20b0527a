import { endpoint } from '../../shared/edge/endpoint.ts'
import {
  readSelection,
  resourceResponse,
  ScimGroupView,
  SelectionQuery,
  showGroup,
} from '../../shared/identity/scim/messages.ts'
import { GROUP } from '../../shared/identity/scim/resource-type.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, response: ScimGroupView }

export const handler = endpoint(scim.getGroup, shapes, async ({ params, query, ctx }) => {
  const selection = readSelection(query)
  return resourceResponse(GROUP, await showGroup(ctx, params.id, selection), { selection })
})
