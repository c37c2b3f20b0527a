// Ends sessions: the caller's own, one of a person, or all of a person.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { warn } from '../../base/lib/log.ts'
import { endGrants } from '../artefacts/end-grant.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import { poolTokens, type Session, sessions, sessionsOf } from './session.ts'
import { forbidden, notFound } from '../../base/lib/failure.ts'

/** Why a session ended. */
export type EndReason =
  | 'signed_out'
  | 'ended_by_person'
  | 'concurrent_limit'
  | 'refresh_reuse'
  | 'pool_revoked'
  | 'password_changed'
  | 'sso_logout'
  | 'account_ended'
  | 'remote_sign_out'
  | 'mfa_reset'
  | 'first_proof'

const ended = (why: EndReason) => ({
  set: { state: 'revoked', revoked_why: why },
  condition: { expression: 'attribute_exists(pk) AND #state <> :over', values: { ':over': 'revoked' } },
})

/** Ends one session, with evidence. Its next request is refused. False when it had already ended. */
export async function revokeSession(ctx: Context, session: Session, why: EndReason): Promise<boolean> {
  const { sid, user_id } = session
  return isFirst(
    ctx.table.commit([
      sessions.update({ sid }, ended(why)),
      poolTokens.remove({ sid }),
      ...changed(ctx, [
        {
          action: 'session.revoked',
          artifact: 'identity.session.revoked',
          subject: { type: 'session', id: sid },
          data: { user_id, why },
        },
      ]),
    ]),
  )
}

type Whose = { id: string; tenant_id: string }

/**
 * Marks all live sessions of a person except one as ended, ends their grants to OAuth clients, and returns the number of
 * sessions. What makes all of them invalid, also those that an index does not list yet, is `tokens_valid_after`, which the
 * caller has committed with its own evidence.
 */
export async function endSessions(ctx: Context, user: Whose, why: EndReason, except?: string): Promise<number> {
  const live = (await sessionsOf(ctx.table, user.tenant_id, user.id)).filter(({ sid }) => sid !== except)
  const marks = live.map(async ({ sid }) =>
    ctx.table.commit([sessions.update({ sid }, ended(why)), poolTokens.remove({ sid })]),
  )
  for (const mark of await Promise.allSettled([...marks, endGrants(ctx, user.id)])) {
    if (mark.status === 'rejected' && !(mark.reason instanceof ConditionFailed)) {
      warn('session_not_marked', mark.reason)
    }
  }
  return live.length
}

/** The session of the token that the request came with. */
export async function ownSession({ table, principal }: Context): Promise<Session> {
  const { session_id: sid } = principal
  const session = sid === undefined ? undefined : await table.get(sessions, { sid })
  if (!session) throw forbidden('Only a session can do this. Sign in and repeat the request.')
  return session
}

/** Throws 404 for somebody else's session, as for one that has ended. */
export async function endOwnSession(ctx: Context, sid: string): Promise<void> {
  const session = await ctx.table.get(sessions, { sid })
  const own = session?.user_id === ctx.principal.user_id && session?.tenant_id === ctx.space.tenant_id
  if (!session || !own || session.state === 'revoked' || session.abs_exp <= ctx.now()) throw notFound('session')
  if (!(await revokeSession(ctx, session, 'ended_by_person'))) throw notFound('session')
}
