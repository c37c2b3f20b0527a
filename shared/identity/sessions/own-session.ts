import type { Context } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { type Session, sessions } from './session.ts'

/** The session of the token that the request came with. */
export async function ownSession({ table, principal }: Context): Promise<Session> {
  const { session_id: sid } = principal
  const session = sid === undefined ? undefined : await table.get(sessions, { sid })
  if (!session) throw forbidden('Only a session can do this. Sign in and repeat the request.')
  return session
}
