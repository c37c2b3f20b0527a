import { endpoint } from '../../shared/http/endpoint.ts'
import { resourceAnswer } from '../../shared/scim/answers.ts'
import { createUser } from '../../shared/scim/create-user.ts'
import { USER } from '../../shared/scim/resource-type.ts'
import { readSelection } from '../../shared/scim/search.ts'
import { userView } from '../../shared/scim/user-view.ts'
import { SelectionQuery, UserBody, UserReply } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: UserBody, reply: UserReply }

export const handler = endpoint(scim.createUser, shapes, async ({ query, body, ctx }) => {
  const made = userView(await createUser(ctx, body), undefined)
  return resourceAnswer(USER, made, { selection: readSelection(query), status: 201 })
})
