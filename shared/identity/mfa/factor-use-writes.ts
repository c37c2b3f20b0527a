import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { unauthenticated } from '../../base/wire/unauthenticated.ts'
import { type Session, sessions } from '../sessions/session.ts'

/** The write that notes on the caller's session that a factor was shown. Throws 401 when the session has ended. */
export async function factorUseWrites(
  { principal, table }: Context,
  amr: readonly string[],
  mfa_at: number,
  set: Partial<Session> = {},
): Promise<Write[]> {
  const { session_id: sid } = principal
  if (sid === undefined) return []
  const was = await table.get(sessions, { sid })
  if (!was || was.state === 'revoked') throw unauthenticated()
  const next = { ...was, ...set, mfa_at, amr: [...new Set([...was.amr, ...amr])] }
  return [sessions.replace(next, was, conflict('The session was changed by another request. Try again.'))]
}
