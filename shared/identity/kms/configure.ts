// Sets the KMS key under which a tenant's data keys are wrapped, after trying the key.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { countOtherwiseWrapped, mustBeKeyArn } from '../../ledger/sealing/rewrap.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import { conflict, invalid, unavailable } from '../../base/lib/failure.ts'
import { mustHaveRecentFactor } from '../access/assurance.ts'
import { mustHaveFeature } from '../../base/tenant/retention.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { type KmsSettings, kmsSettings } from '../../ledger/sealing/wrapped-key.ts'
import type { KeyMetadata } from '@aws-sdk/client-kms'
import { sameBytes } from '../../base/lib/json.ts'

export type Configured = { settings: KmsSettings | undefined; repeated: boolean }

/**
 * Wraps new data keys under this key (null: the service's key). The sweeper re-encrypts the existing ones, so the former key must
 * work until `rewrap` is done. Throws 422 for a key that KMS refuses, 403 without the feature of the plan or a recent factor, and
 * stores nothing then. A repetition changes nothing. Of two concurrent changes one gets 409.
 */
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

const THROTTLED = /Throttl|LimitExceeded|TooManyRequests/

/**
 * Tries a KMS key: describes it, then generates and decrypts a data key under it. Returns the name of the error that KMS answers;
 * undefined when the key works. Throws 503 while KMS itself does not answer.
 */
export async function tryKey(tenant_id: string, KeyId: string): Promise<string | undefined> {
  const { DecryptCommand, DescribeKeyCommand, GenerateDataKeyCommand, kms } = await import('../../base/aws/kms.ts')
  const EncryptionContext = { tenant_id, mode: 'live' }
  try {
    const { KeyMetadata: key } = await kms().send(new DescribeKeyCommand({ KeyId }))
    const unfit = unfitness(key)
    if (unfit) return unfit
    const made = await kms().send(new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', EncryptionContext }))
    const { CiphertextBlob, Plaintext = new Uint8Array() } = made
    const opened = await kms().send(new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext }))
    return sameBytes(Plaintext, opened.Plaintext ?? new Uint8Array(1)) ? undefined : 'InvalidCiphertextException'
  } catch (error) {
    if (isRefusal(error)) return error.name
    throw unavailable('KMS does not answer. Try again later.', error)
  }
}

/** The error that KMS would answer to the first use of such a key. */
function unfitness({ KeyState, KeyUsage, KeySpec }: Partial<KeyMetadata> = {}): string | undefined {
  if (KeyUsage !== 'ENCRYPT_DECRYPT' || KeySpec !== 'SYMMETRIC_DEFAULT') return 'InvalidKeyUsageException'
  if (KeyState === 'Disabled') return 'DisabledException'
  return KeyState === 'Enabled' ? undefined : 'KMSInvalidStateException'
}

/** Whether KMS has answered and refused. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && '$fault' in error && error.$fault === 'client' && !THROTTLED.test(error.name)
