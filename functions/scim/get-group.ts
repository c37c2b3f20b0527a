import { endpoint } from '../../shared/http/endpoint.ts'
import { resourceAnswer } from '../../shared/scim/answers.ts'
import { GROUP } from '../../shared/scim/resource-type.ts'
import { readSelection } from '../../shared/scim/search.ts'
import { showGroup } from '../../shared/scim/show.ts'
import { GroupReply, SelectionQuery } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, reply: GroupReply }

export const handler = endpoint(scim.getGroup, shapes, async ({ params, query, ctx }) => {
  const selection = readSelection(query)
  return resourceAnswer(GROUP, await showGroup(ctx, params.id, selection), { selection })
})
