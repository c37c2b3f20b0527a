import { endpoint } from '../../shared/http/endpoint.ts'
import { resourceAnswer } from '../../shared/scim/answers.ts'
import { USER } from '../../shared/scim/resource-type.ts'
import { readSelection } from '../../shared/scim/search.ts'
import { showPerson } from '../../shared/scim/show.ts'
import { patchUser } from '../../shared/scim/update-user.ts'
import { PatchBody, SelectionQuery, UserReply } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: SelectionQuery, body: PatchBody, reply: UserReply }

export const handler = endpoint(scim.patchUser, shapes, async ({ params, query, body, headers, ctx }) => {
  const selection = readSelection(query)
  const { person, unchanged } = await patchUser(ctx, params.id, body, headers['if-match'])
  return resourceAnswer(USER, await showPerson(ctx, person, selection), { selection, unchanged })
})
