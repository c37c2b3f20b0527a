// Ends a delegation before its time.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { personNow } from '../../identity/access/permissions.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { type Delegation, delegations, findDelegation, statusAt } from './delegation.ts'
import { mailsToBoth } from './view.ts'

/**
 * Afterwards nobody votes under the delegation, and votes under it that have not decided yet no longer count. Throws 403 unless the caller
 * is its giver or has `users:write`, 404 for an unknown one. A repeat changes nothing.
 */
export const endDelegation = (ctx: Context, id: string): Promise<{ delegation: Delegation; repeated: boolean }> =>
  retryWhenChanged(() => end(ctx, id))

async function end(ctx: Context, id: string) {
  const was = await findDelegation(ctx, id)
  const { principal, table, space } = ctx
  if (principal.id !== was.from_user_id && !principal.permissions.has('users:write'))
    throw forbidden('This delegation is somebody else’s. They end it, or somebody with the permission users:write.')
  const now = iso(ctx.now())
  if (statusAt(was, now) === 'ended') return { delegation: was, repeated: true }
  const artifact_id = ctx.id('art')
  const ended_by = { type: principal.kind, id: principal.id }
  const delegation: Delegation = { ...was, ended_at: now, ended_by, end_artifact_id: artifact_id }
  const { from_user_id, to_user_id } = was
  const [giver, delegate] = await Promise.all(
    [from_user_id, to_user_id].map((user) => personNow(table, { tenant_id: space.tenant_id, id: user })),
  )
  await table.commit(
    [
      delegations.replace(delegation, was, new ChangedMeanwhile()),
      ...changed(
        ctx,
        [
          {
            action: 'delegation.ended',
            artifact: 'delegation.ended',
            artifact_id,
            subject: { type: 'delegation', id },
            data: { from_user_id, to_user_id },
          },
        ],
        { mails: mailsToBoth(ctx, 'delegation_ended', delegation, { giver, delegate }) },
      ),
    ],
    id,
  )
  return { delegation, repeated: false }
}
