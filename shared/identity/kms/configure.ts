import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { countOtherwiseWrapped, mustBeKeyArn } from '../../ledger/sealing/rewrap.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { mustHaveRecentFactor } from '../access/assurance.ts'
import { mustHaveFeature } from '../../base/tenant/retention.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { type KmsSettings, kmsSettings } from '../../ledger/sealing/wrapped-key.ts'
import { tryKey } from './try-key.ts'

export type Configured = { settings: KmsSettings | undefined; repeated: boolean }

/** Wraps new data keys under this key (null: the service's key). The sweeper re-encrypts the existing ones. */
export async function configureKey(ctx: Context, key_arn: string | null): Promise<Configured> {
  const { tenant_id } = ctx.space
  const tenant = await tenantOf(ctx.table, tenant_id)
  mustHaveRecentFactor(ctx, tenant)
  const was = await ctx.table.get(kmsSettings, { tenant_id })
  const before = was?.key_arn ?? null
  if (key_arn !== null && key_arn !== before) mustHaveFeature(tenant, 'customer_keys')
  if (before === key_arn && was?.status !== 'unavailable') return { settings: was, repeated: true }
  if (key_arn !== null) await mustWork(tenant_id, key_arn)
  const settings = await settingsFor(ctx, key_arn)
  const raced = conflict('The encryption key was changed by another request. Try again.')
  const change = {
    action: 'encryption_key.changed',
    artifact: 'identity.encryption_key.changed' as const,
    subject: { type: 'encryption_key', id: tenant_id },
    data: { key_arn: key_arn ?? 'service', status: settings.status },
    changes: [{ path: 'key_arn', before, after: key_arn }],
  }
  const write = was ? kmsSettings.replace(settings, was, raced) : kmsSettings.insert(settings, raced)
  await ctx.table.commit([write, ...changed(ctx, [change])], 'kms')
  return { settings, repeated: false }
}

async function mustWork(tenant_id: string, key_arn: string): Promise<void> {
  mustBeKeyArn(key_arn)
  const error = await tryKey(tenant_id, key_arn)
  if (error)
    throw invalid(
      ['key_arn'],
      `KMS refuses this key with ${error}. Add required_statement to its policy, then try again.`,
    )
}

async function settingsFor(ctx: Context, key_arn: string | null): Promise<KmsSettings> {
  const { tenant_id } = ctx.space
  const total = await countOtherwiseWrapped(tenant_id, key_arn ?? env('SEAL_KEY_ID'))
  const now = iso(ctx.now())
  return {
    tenant_id,
    key_arn,
    status: key_arn === null ? 'service_managed' : 'customer_managed',
    last_checked_at: key_arn === null ? null : now,
    rewrap: { status: total === 0 ? 'done' : 'running', done: 0, total },
    next_at: now,
  }
}
