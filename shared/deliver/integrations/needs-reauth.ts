// The provider no longer takes the credential, or the person who gave it has left: it is deleted, and people are asked to connect
// again.
import type { Context } from '../../base/context.ts'
import { newArtifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { openTask } from '../../govern/tasks/open-task.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { type Connection, connections } from './connection.ts'
import type { Said } from './oauth/conformed.ts'

/** `at_provider`: its tokens no longer work there. `said`: what the provider says of it. */
export type ReauthCause = { reason: 'refresh_failed' | 'revoked'; at_provider: boolean; said?: Said | undefined }
export const REFRESH_FAILED: ReauthCause = { reason: 'refresh_failed', at_provider: false }

const saidBy = (said: Said | undefined): string =>
  said ? `The provider says: ${[said.code, said.words].filter((one) => one !== undefined).join(': ')}. ` : ''

/** Does nothing when another call has noted it, or people have connected again. */
export const needsReauth = (
  ctx: Context,
  was: Stored<Connection>,
  { reason, at_provider, said }: ReauthCause,
): Promise<void> =>
  retryWhenChanged(async () => {
    const { id, connector_id, sealed, expires_at: _, refreshing_until: __, ...rest } = was
    const task = await openTask(ctx, {
      title: `Connect ${connector_id} again`,
      description: `The credential of this connection can no longer be used (${reason}). ${saidBy(said)}Actions through it fail until then.`,
      kind: 'general',
      priority: 'high',
      source: { type: 'connection', id },
    })
    const kept = rest.nango_id === undefined ? {} : { sealed } // no secret: Nango holds the tokens, and may renew them
    const next: Connection = { ...rest, ...kept, id, connector_id, status: 'needs_reauth', task_id: task.task.id }
    const [artifact] = newArtifacts(ctx, {
      type: 'integration.connection.needs_reauth',
      subject: { type: 'connection', id },
      data: { connector_id, reason },
    })
    if (!artifact) throw new Error('no artifact was made')
    const events = [
      {
        type: 'integration.disconnected' as const,
        subject: { id, version: was._v + 1 },
        data: { connector_id, connection_id: id, reason, revoked_at_provider: at_provider },
      },
    ]
    const mail = newMail(
      ctx,
      'connection_lost',
      { roles: ['owner'] },
      { name: connector_id, mode: ctx.space.mode, reason },
    )
    const evidence = commitWith(ctx, [{ artifact, events }, ...task.transitions], { mails: [...task.mails, mail] })
    await ctx.table
      .commit([connections.replace(next, was), ...task.writes, ...evidence], id)
      .catch((error: unknown) => {
        if (!(error instanceof ConditionFailed)) throw error
      })
  })
