import { endpoint } from '../../shared/edge/endpoint.ts'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { liveSessionsOf } from '../../shared/identity/sessions/live-session.ts'
import { SessionView, sessionView } from '../../shared/identity/sessions/session.ts'
import { ownUser } from '../../shared/identity/accounts/find.ts'
import { auth } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(SessionView) }

/** Newest first. */
export const handler = endpoint(auth.listSessions, shapes, async ({ query, ctx }) => {
  const { id: person, session_id } = ctx.principal
  const live = await liveSessionsOf(ctx, await ownUser(ctx))
  const views = live.toReversed().map((session) => sessionView(session, session_id))
  return pageOf(ctx, `${auth.listSessions.id}/${person}`, query, views, ({ id }) => id)
})
