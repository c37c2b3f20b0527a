import { endpoint } from '../../shared/http/endpoint.ts'
import { resourceAnswer } from '../../shared/scim/answers.ts'
import { GROUP } from '../../shared/scim/resource-type.ts'
import { readSelection } from '../../shared/scim/search.ts'
import { showStoredGroup } from '../../shared/scim/show.ts'
import { patchGroup } from '../../shared/scim/update-group.ts'
import { GroupReply, PatchBody, SelectionQuery } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: PatchBody, reply: GroupReply }

export const handler = endpoint(scim.patchGroup, shapes, async ({ params, query, body, headers, ctx }) => {
  const selection = readSelection(query)
  const { group, unchanged } = await patchGroup(ctx, params.id, body, headers['if-match'])
  return resourceAnswer(GROUP, await showStoredGroup(ctx, group, selection), { selection, unchanged })
})
