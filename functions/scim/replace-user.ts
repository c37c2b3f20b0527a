import { endpoint } from '../../shared/http/endpoint.ts'
import { resourceAnswer } from '../../shared/scim/answers.ts'
import { USER } from '../../shared/scim/resource-type.ts'
import { readSelection } from '../../shared/scim/search.ts'
import { showPerson } from '../../shared/scim/show.ts'
import { replaceUser } from '../../shared/scim/update-user.ts'
import { SelectionQuery, UserBody, UserReply } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: UserBody, reply: UserReply }

export const handler = endpoint(scim.replaceUser, shapes, async ({ params, query, body, headers, ctx }) => {
  const selection = readSelection(query)
  const { person, unchanged } = await replaceUser(ctx, params.id, body, headers['if-match'])
  return resourceAnswer(USER, await showPerson(ctx, person, selection), { selection, unchanged })
})
