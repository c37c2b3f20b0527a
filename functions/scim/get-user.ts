import { endpoint } from '../../shared/http/endpoint.ts'
import { resourceAnswer } from '../../shared/scim/answers.ts'
import { USER } from '../../shared/scim/resource-type.ts'
import { readSelection } from '../../shared/scim/search.ts'
import { showUser } from '../../shared/scim/show.ts'
import { SelectionQuery, UserReply } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, reply: UserReply }

export const handler = endpoint(scim.getUser, shapes, async ({ params, query, ctx }) => {
  const selection = readSelection(query)
  return resourceAnswer(USER, await showUser(ctx, params.id, selection), { selection })
})
