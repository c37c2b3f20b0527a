import { endpoint } from '../../shared/edge/endpoint.ts'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { applicationsOf, applicationView, ApplicationView } from '../../shared/identity/oauth/clients/application.ts'
import { ownUser } from '../../shared/identity/accounts/find.ts'
import { auth } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(ApplicationView) }

/** By id of the client. */
export const handler = endpoint(auth.listApplications, shapes, async ({ query, ctx }) => {
  const { id } = await ownUser(ctx)
  const views = (await applicationsOf(ctx, id)).map(applicationView)
  return pageOf(ctx, `${auth.listApplications.id}/${id}`, query, views, ({ client_id }) => client_id)
})
