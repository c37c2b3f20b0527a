import { endpoint } from '../../shared/http/endpoint.ts'
import { resourceAnswer } from '../../shared/scim/answers.ts'
import { createGroup } from '../../shared/scim/create-group.ts'
import { GROUP } from '../../shared/scim/resource-type.ts'
import { readSelection } from '../../shared/scim/search.ts'
import { showStoredGroup } from '../../shared/scim/show.ts'
import { GroupBody, GroupReply, SelectionQuery } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: GroupBody, reply: GroupReply }

export const handler = endpoint(scim.createGroup, shapes, async ({ query, body, ctx }) => {
  const selection = readSelection(query)
  const made = await showStoredGroup(ctx, await createGroup(ctx, body), selection)
  return resourceAnswer(GROUP, made, { selection, status: 201 })
})
