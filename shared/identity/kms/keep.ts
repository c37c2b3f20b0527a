// What the sweeper does for a tenant's encryption key: re-encrypts data keys after a change, checks a key that is suspected
// to fail, and checks every key once a day.
import { DAY_MS, iso, MINUTE_MS } from '../../base/lib/clock.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { partsOf, rewrapDataKeys } from '../../ledger/sealing/rewrap.ts'
import { env } from '../../base/lib/runtime.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { type KmsSettings, kmsSettings } from '../../ledger/sealing/wrapped-key.ts'
import { tryKey } from './configure.ts'

const AGAIN_MS = 5 * MINUTE_MS

/** Does nothing until the key is due. Throws, without a change, while KMS itself does not answer. */
export async function keepKey(ctx: Context): Promise<void> {
  const { tenant_id } = ctx.space
  const was = await ctx.table.get(kmsSettings, { tenant_id })
  if (!was || was.next_at > iso(ctx.now())) return
  const error = was.key_arn === null ? undefined : await tryKey(tenant_id, was.key_arn)
  const rewrap = error ? was.rewrap : await follow(was)
  const next = kept(was, { error, rewrap, now: ctx.now() })
  const changes = changesOf(was, next)
  const [first, ...others] = changes
  const mails = next.status === 'unavailable' && was.status !== 'unavailable' ? [notice(ctx, next, error)] : []
  const writes = first ? changed(ctx, [first, ...others], { mails }) : []
  await ctx.table.commit([kmsSettings.replace(next, was), ...writes])
}

/** Runs even when all data keys have been moved: one that was made during the change may still use the former key. */
async function follow({ tenant_id, key_arn, rewrap: { total } }: KmsSettings): Promise<KmsSettings['rewrap']> {
  const { left, refused } = await rewrapDataKeys(tenant_id, key_arn ?? env('SEAL_KEY_ID'))
  const status = left === 0 ? 'done' : refused ? 'stalled' : 'running'
  return { status, total: Math.max(total, left), done: Math.max(total, left) - left }
}

type Found = { error: string | undefined; rewrap: KmsSettings['rewrap']; now: number }

function kept(was: KmsSettings, { error, rewrap, now }: Found): KmsSettings {
  const settled = rewrap.status === 'done' || rewrap.status === 'none'
  const waitMs = error || rewrap.status === 'stalled' ? AGAIN_MS : settled ? DAY_MS : MINUTE_MS
  return {
    ...was,
    status: was.key_arn === null ? 'service_managed' : error ? 'unavailable' : 'customer_managed',
    last_checked_at: was.key_arn === null ? was.last_checked_at : iso(now),
    suspected_at: undefined,
    rewrap,
    next_at: iso(now + waitMs),
  }
}

function changesOf(was: KmsSettings, next: KmsSettings): Change[] {
  const change = (verb: string, data: NonNullable<Change['data']>): Change => ({
    action: `encryption_key.${verb}`,
    artifact: 'identity.encryption_key.changed',
    subject: { type: 'encryption_key', id: was.tenant_id },
    data,
  })
  const { status, rewrap } = next
  return [
    ...(status === was.status ? [] : [change(status === 'unavailable' ? 'failed' : 'recovered', { status })]),
    ...(rewrap.status === 'done' && was.rewrap.status !== 'done'
      ? [change('followed', { data_keys: rewrap.total })]
      : []),
  ]
}

const notice = (ctx: Context, { key_arn }: KmsSettings, error = 'nothing') =>
  newMail(ctx, 'kms_unavailable', { roles: ['owner', 'admin'] }, { ...partsOf(key_arn ?? ''), error })
