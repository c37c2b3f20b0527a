import { endpoint } from '../../shared/edge/endpoint.ts'
import { listView } from '../../shared/base/wire/pagination.ts'
import { listUsers, UserQuery, UserView, userView } from '../../shared/identity/users/view.ts'
import { users } from './routes.ts'

export const shapes = { query: UserQuery, response: listView(UserView) }

export const handler = endpoint(users.list, shapes, async ({ query, ctx }) => {
  const page = await listUsers(ctx, query)
  return { ...page, items: page.items.map(userView) }
})
