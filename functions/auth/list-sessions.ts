import { endpoint } from '../../shared/http/endpoint.ts'
import { SessionView, sessionsOf, sessionView } from '../../shared/sessions/session.ts'
import { auth } from './routes.ts'
import * as z from 'zod'

export const shapes = { reply: z.object({ items: z.array(SessionView) }) }

/** Newest first. */
export const handler = endpoint(auth.listSessions, shapes, async ({ ctx }) => {
  const { space, principal } = ctx
  const own = await sessionsOf(ctx.table, space.tenant_id, principal.id)
  return { items: own.toReversed().map((session) => sessionView(session, principal.session_id)) }
})
