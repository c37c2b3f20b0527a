// Ends an artefact of a person together with its evidence. Each answers false when it has ended already.
import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { RecordOptions } from '../../ledger/evidence/artifact/record.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import type { Context } from '../../base/context.ts'
import type { Write } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import { type Artefact, artefacts } from './artefact.ts'
import { storedId } from './client-id.ts'
import { connectionEnded } from './connection-end.ts'
import { logoutsFor } from './logouts.ts'

/** Whom else to tell of an end. */
export type Notice = Pick<RecordOptions, 'mails' | 'logouts'> & { events?: readonly EventDraft[] }

/**
 * All tokens and codes end with the grant, because each use reads it, and so does what was asked under it. The client is told,
 * unless `logouts` is empty.
 */
export function endGrant(
  ctx: Context,
  grant: Artefact,
  user_id: string,
  { events = [], logouts = logoutsFor(ctx, user_id, [grant]), mails = [] }: Notice = {},
): Promise<boolean> {
  const { tenant_id } = ctx.space
  const client_id = storedId(grant.client_id ?? '', tenant_id)
  const change: Change = {
    action: 'oauth_grant.revoked',
    artifact: 'identity.oauth_grant.revoked',
    subject: { type: 'oauth_grant', id: grant.public_id ?? grant.hash },
    data: { user_id, client_id },
    events,
  }
  const ended = connectionEnded({ tenant_id, user_id, client_id }, ctx.now())
  return removeRecorded(ctx, grant, change, { logouts, mails }, [ended])
}

export async function removeRecorded(
  ctx: Context,
  artefact: Artefact,
  change: Change,
  options: RecordOptions = {},
  also: readonly Write[] = [],
): Promise<boolean> {
  const present = { expression: 'attribute_exists(pk)' }
  return isFirst(ctx.table.commit([artefacts.remove(artefact, present), ...also, ...changed(ctx, [change], options)]))
}
