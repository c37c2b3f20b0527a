import { endpoint } from '../../shared/edge/endpoint.ts'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { findAnyUser } from '../../shared/identity/accounts/find.ts'
import { applicationsOf, applicationView, ApplicationView } from '../../shared/identity/oauth/clients/application.ts'
import { users } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(ApplicationView) }

/** By id of the client. */
export const handler = endpoint(users.applications, shapes, async ({ params, query, ctx }) => {
  const { id } = await findAnyUser(ctx, params.id)
  const views = (await applicationsOf(ctx, id)).map(applicationView)
  return pageOf(ctx, `${users.applications.id}/${id}`, query, views, ({ client_id }) => client_id)
})
