// Rewraps a tenant's data keys under another KMS key. KMS does it in one step, so no data key is unwrapped here, and sealed
// values stay as they are.
import { ConditionalCheckFailedException, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { Space } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { warn } from '../../base/lib/log.ts'
import { toAttributes } from '../../base/table/entity.ts'
import { MODES } from '../../base/table/members.ts'
import { encryptionContext, keysTable, type WrappedKey, wrappedKeys, wrappedKeysPartition } from './wrapped-key.ts'
import { type Failure, invalid } from '../../base/lib/failure.ts'

const AT_ONCE = 8
/** Limited by the time of one sweeper run. */
const KEYS_MAX = 1_000

type Wrapped = WrappedKey & { wrapped: Uint8Array; space: Space }

/** Data keys of a tenant that are wrapped by another key than the given one. */
async function otherwiseWrapped(tenant_id: string, keyArn: string): Promise<Wrapped[]> {
  const spaces = MODES.map((mode) => ({ tenant_id, mode }))
  const all = await Promise.all(
    spaces.map(async (space) => {
      const items = await keysTable().query(wrappedKeys, { pk: wrappedKeysPartition(space) })
      return items.map((item) => ({ ...item, space }))
    }),
  )
  return all
    .flat()
    .flatMap(({ wrapped, ...item }) => (wrapped && item.cmk_arn !== keyArn ? [{ ...item, wrapped }] : []))
}

export const countOtherwiseWrapped = async (tenant_id: string, keyArn: string): Promise<number> =>
  (await otherwiseWrapped(tenant_id, keyArn)).length

/**
 * Rewraps at most a thousand data keys. `left`: number of keys still to rewrap; `refused`: KMS refused to rewrap one. May be
 * repeated after a crash: keys that were moved before are skipped. A key that is erased at the same time stays erased.
 */
export async function rewrapDataKeys(tenant_id: string, keyArn: string): Promise<{ left: number; refused: boolean }> {
  const all = await otherwiseWrapped(tenant_id, keyArn)
  const moved = await inParallel(AT_ONCE, all.slice(0, KEYS_MAX), (item) =>
    rewrap(item, keyArn).then(
      () => true,
      (error: unknown) => {
        warn('data_key_not_moved', error, { tenant: tenant_id })
        return false
      },
    ),
  )
  return { left: all.length - moved.filter(Boolean).length, refused: moved.includes(false) }
}

async function rewrap({ space, wrapped: was, ...item }: Wrapped, keyArn: string): Promise<void> {
  const { kms, ReEncryptCommand } = await import('../../base/aws/kms.ts')
  const answer = await kms().send(
    new ReEncryptCommand({
      CiphertextBlob: was,
      SourceKeyId: item.cmk_arn,
      SourceEncryptionContext: encryptionContext(space),
      DestinationKeyId: keyArn,
      DestinationEncryptionContext: encryptionContext(space),
    }),
  )
  const moved = { ...item, wrapped: answer.CiphertextBlob, cmk_arn: answer.KeyId, _type: wrappedKeys.name }
  try {
    await keysTable().client.send(
      new PutItemCommand({
        TableName: env('KEYS_TABLE_NAME'),
        Item: toAttributes(moved),
        // The condition keeps a concurrently erased key erased.
        ConditionExpression: '#wrapped = :was',
        ExpressionAttributeNames: { '#wrapped': 'wrapped' },
        ExpressionAttributeValues: { ':was': { B: was } },
      }),
    )
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
  }
}

/** Key ids are UUIDs; those of multi-region keys are not. */
const KEY_ARN = /^arn:aws[a-z-]*:kms:([a-z0-9-]+):(\d{12}):key\/([0-9a-f-]{36}|mrk-[0-9a-f]{32})$/

const refuse = (why: string): Failure => invalid(['key_arn'], why)

/** Throws 422 unless it is the ARN of a KMS key in our region that is not the service's own key. */
export function mustBeKeyArn(arn: string): void {
  if (/^arn:aws[a-z-]*:kms:[^:]*:[^:]*:alias\//.test(arn)) throw refuse('must be the ARN of a key, not of an alias')
  const region = KEY_ARN.exec(arn)?.[1]
  if (region === undefined) throw refuse('must be the ARN of a KMS key')
  if (region !== env('REGION')) throw refuse(`must be a key in ${env('REGION')}`)
  if (arn === env('SEAL_KEY_ID')) throw refuse("must not be the service's own key; send null to use that one")
}

/** Account and id of a key, for display. */
export function partsOf(arn: string): { account: string; key: string } {
  const [, , account = '', key = ''] = KEY_ARN.exec(arn) ?? []
  return { account, key }
}
