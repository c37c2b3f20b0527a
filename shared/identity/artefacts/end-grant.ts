// Ends what people have granted to OAuth clients, together with its evidence, and notes when the access of a client last ended.
import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { RecordOptions } from '../../ledger/evidence/artifact/record.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import type { Context } from '../../base/context.ts'
import { entity, key, type Write } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import { accountPartition, type Artefact, artefacts, consentsPartition, storedId } from './artefact.ts'
import { logoutsFor } from './logouts.ts'
import { warn } from '../../base/lib/log.ts'
import { removeAll } from './store.ts'
import * as z from 'zod'
import { DAY_MS } from '../../base/lib/clock.ts'

/** What is sent beside the evidence of an end: mails, logouts of clients, events. */
export type Notice = Pick<RecordOptions, 'mails' | 'logouts'> & { events?: readonly EventDraft[] }

/**
 * Ends a grant in one transaction with its evidence. All tokens and codes end with it, because each use reads it, and so does
 * what was asked under it. The client gets a notice of the logout, unless `logouts` is empty. False when it had ended already:
 * then nothing is written, so of concurrent calls one leaves evidence.
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

/** Removes an artefact of any kind together with its evidence. False when it had ended already. */
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

const AT_ONCE = 500

/**
 * Removes the grants of a person and returns how many there were. This only tidies up: the grants are invalid already by the
 * status or `tokens_valid_after` of the account, which the caller has committed with its own evidence.
 */
export const endGrants = ({ table }: Pick<Context, 'table'>, user_id: string): Promise<number> =>
  removeAll(table, { pk: accountPartition(user_id), index: 'gsi1', prefix: 'Grant#' })

/** The same for what all people allowed a client that was deleted. More than these expire by themselves. */
export async function endConsents({ table, space }: Context, client_id: string): Promise<void> {
  const pk = consentsPartition(space.tenant_id)
  const consents = { pk, index: 'gsi2', prefix: `${client_id}#`, limit: AT_ONCE } as const
  await removeAll(table, consents).catch((error: unknown) => warn('consents_not_removed', error, { client_id }))
}

type Of = { tenant_id: string; user_id: string; client_id: string }

/**
 * When the access of an application to a person's account was last ended. A grant leaves nothing behind, so only this separates
 * what the application asked for before the end from what it asks for under a new grant.
 */
export const connectionEnds = entity({
  name: 'OAUTHEND',
  unbound: 'bounded',
  schema: z.object({
    tenant_id: z.string(),
    user_id: z.string(),
    client_id: z.string(),
    /** Milliseconds. */
    at: z.int(),
  }),
  key: ({ tenant_id, user_id, client_id }: Of) => ({
    pk: key('T', tenant_id, 'live', 'OAUTHEND', user_id, client_id),
    sk: 'END',
  }),
})

/** Longer than anything waits for an approval. */
const KEPT_MS = 30 * DAY_MS

/** `client_id` as the tenant stores it. A later end replaces an earlier one. */
export const connectionEnded = (of: Of, at: number): Write =>
  connectionEnds.update(of, {
    set: { ...of, at, _type: connectionEnds.name, _ttl: Math.ceil((at + KEPT_MS) / 1_000) },
  })
