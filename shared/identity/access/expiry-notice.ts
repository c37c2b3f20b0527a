// Announces a day ahead that a key will expire: by mail to its creator and the owners, and as an event. Once for each key.
import { changed } from '../../ledger/audit/changed.ts'
import { type Context, systemContext } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { alarm } from '../../base/lib/log.ts'
import { newMail } from '../../ledger/events/mail.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { users } from '../accounts/user.ts'
import { type ApiKey, apiKeys, expiringPartition, NOTICE_MS, statusOf } from './api-key.ts'

/** Keys that expire within a day are in the partitions of today and tomorrow. Announced ones are no longer there. */
export async function sendExpiryNotices(table: Table): Promise<void> {
  const now = table.clock.now()
  const days = [iso(now), iso(now + NOTICE_MS)]
  const due = await Promise.all(
    days.map((day) =>
      table.query(apiKeys, { pk: expiringPartition(day), index: 'gsi2', to: `${iso(now + NOTICE_MS)}~` }),
    ),
  )
  for (const key of due.flat()) {
    if (key.notice_sent_at || statusOf(key, now) !== 'active') continue
    await announce(key).catch((error: unknown) => alarm('expiry_notice_failed', error, { key: key.id }))
  }
}

async function announce(key: Stored<ApiKey>): Promise<void> {
  const ctx = systemContext({ tenant_id: key.tenant_id, mode: 'live' })
  const { id, name, hint, expires_at, scopes, created_by } = key
  const unannounced = {
    expression: 'attribute_not_exists(#notice_sent_at) AND attribute_not_exists(#revoked_at)',
    names: { '#revoked_at': 'revoked_at' },
  }
  const marked = apiKeys.update(key, {
    set: { notice_sent_at: iso(ctx.now()) },
    remove: ['gsi2pk', 'gsi2sk'],
    condition: unannounced,
  })
  const writes = changed(
    ctx,
    [
      {
        action: 'api_key.expiring',
        artifact: 'identity.api_key.expiring',
        subject: { type: 'api_key', id, name },
        data: { expires_at },
        events: [
          {
            type: 'api_key.expiring',
            subject: { id, version: 1 },
            data: { key_id: id, name, hint, expires_at, scopes, created_by },
          },
        ],
      },
    ],
    { mails: await mailsAbout(ctx, key) },
  )
  // Unless announced by another sweep, or revoked meanwhile.
  await unlessChangedMeanwhile(ctx.table.commit([marked, ...writes]))
}

/** A creator who is an owner gets only the mail to the owners. */
async function mailsAbout(ctx: Context, { id, name, hint, expires_at, created_by, tenant_id }: ApiKey) {
  const creator = await ctx.table.get(users, { tenant_id, id: created_by })
  const separately = creator?.status === 'active' && !creator.roles.includes('owner')
  const facts = { key_id: id, name, hint, expires_at }
  return [
    ...(separately ? [newMail(ctx, 'api_key_expiring', { user_id: created_by }, facts)] : []),
    newMail(ctx, 'api_key_expiring', { roles: ['owner'] }, facts),
  ]
}
