// Data keys: one per tenant, mode and data subject, stored only wrapped by KMS. A container caches an unwrapped key for at
// most five minutes, so a disabled or erased key may work for that long.
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { KMSClient } from '@aws-sdk/client-kms'
import type * as Kms from '../../base/aws/kms.ts'
import { dynamodb } from '../../base/aws/dynamodb.ts'
import { currentRuntime, openTable, type Space } from '../../base/context.ts'
import { wrappingKeyOf } from './settings.ts'
import { iso, within } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import { Failure } from '../../base/lib/failure.ts'
import { memory } from '../../base/lib/memory.ts'
import { key, toAttributes } from '../../base/table/entity.ts'
import { type DataKey, dataKey, nameOfKey } from './seal-format.ts'
import { encryptionContext, keysTable, wrappedKeys } from './wrapped-key.ts'

const KEPT_MS = 300_000

/** The data key for values without a data subject. */
export const DEFAULT_KEY = 'default'

const opened = memory<{ since: number; key: Promise<DataKey | undefined> }>(1_000)

/** The data key of that id; undefined when it was erased. */
export async function findDataKey(space: Space, id: string): Promise<DataKey | undefined> {
  const name = nameOfKey(id)
  const find = () => cached(space, name, () => load(space, name))
  const kept = await find()
  if (kept?.id === id) return kept
  opened.delete(cacheKey(space, name)) // another container erased and recreated it
  const found = await find()
  return found?.id === id ? found : undefined
}

/** The data key of that name, created if there is none. */
export async function needDataKey(space: Space, name: string): Promise<DataKey> {
  const found = await cached(space, name, async () => (await load(space, name)) ?? create(space, name))
  if (!found) throw new Error('the new data key was erased by another request')
  return found
}

/**
 * Destroys a data key. Everything sealed under it becomes unreadable, in other containers within five minutes. Later values
 * of this name get a new key. Idempotent.
 */
export async function eraseDataKey(space: Space, name: string): Promise<void> {
  opened.delete(cacheKey(space, name))
  const item = await keysTable().get(wrappedKeys, { space, name })
  if (!item?.wrapped) return
  const { wrapped: _, _v, ...rest } = item
  const erased = { ...rest, _type: wrappedKeys.name, erased_at: iso(currentRuntime().clock.now()) }
  await dynamodb().send(new PutItemCommand({ TableName: env('KEYS_TABLE_NAME'), Item: toAttributes(erased) }))
}

const cacheKey = (space: Space, name: string) => key(space.tenant_id, space.mode, name)

function cached(space: Space, name: string, make: () => Promise<DataKey | undefined>) {
  const now = currentRuntime().clock.now()
  const id = cacheKey(space, name)
  const known = opened.get(id)
  if (known && within(KEPT_MS, known.since, now)) return known.key
  const making = make()
  opened.delete(id)
  opened.set(id, { since: now, key: making })
  const forget = () => opened.get(id)?.key === making && opened.delete(id)
  making.then((found) => found ?? forget(), forget) // the next caller retries a missing key or a failed load
  return making
}

async function load(space: Space, name: string): Promise<DataKey | undefined> {
  const item = await keysTable().get(wrappedKeys, { space, name })
  if (!item?.wrapped) return undefined
  const { wrapped, cmk_arn } = item
  return withKms({ space, keyArn: cmk_arn }, async (kms, { DecryptCommand }) => {
    const EncryptionContext = encryptionContext(space)
    const answer = await kms.send(new DecryptCommand({ KeyId: cmk_arn, CiphertextBlob: wrapped, EncryptionContext }))
    return dataKey(name, present(answer.Plaintext))
  })
}

/** When two containers create the same key at once, the second uses the key of the first. */
async function create(space: Space, name: string): Promise<DataKey | undefined> {
  const keyArn = await wrappingKeyOf(openTable(), space.tenant_id)
  const EncryptionContext = encryptionContext(space)
  const made = await withKms({ space, keyArn }, (kms, { GenerateDataKeyCommand }) =>
    kms.send(new GenerateDataKeyCommand({ KeyId: keyArn, KeySpec: 'AES_256', EncryptionContext })),
  )
  const item = {
    wrapped: present(made.CiphertextBlob),
    cmk_arn: made.KeyId,
    created_at: iso(currentRuntime().clock.now()),
  }
  try {
    await dynamodb().send(
      new PutItemCommand({
        TableName: env('KEYS_TABLE_NAME'),
        Item: toAttributes({ ...wrappedKeys.key({ space, name }), _type: wrappedKeys.name, ...item }),
        ConditionExpression: 'attribute_not_exists(#wrapped)',
        ExpressionAttributeNames: { '#wrapped': 'wrapped' },
      }),
    )
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return load(space, name)
    throw error
  }
  return dataKey(name, present(made.Plaintext))
}

type Wrapping = { space: Space; keyArn: string }

/**
 * Loads the KMS client on first use, because loading costs start-up time. If KMS fails, throws 503: nothing is stored in
 * plain.
 */
async function withKms<T>(
  { space, keyArn }: Wrapping,
  run: (kms: KMSClient, sdk: typeof Kms) => Promise<T>,
): Promise<T> {
  const sdk = await import('../../base/aws/kms.ts')
  try {
    return await run(sdk.kms(), sdk)
  } catch (cause) {
    const isTenantKey = keyArn !== env('SEAL_KEY_ID')
    if (isTenantKey) await (await import('./suspect.ts')).suspectKey(space.tenant_id)
    const which = isTenantKey ? ` ${keyArn}` : ''
    const detail = `The tenant's encryption key${which} does not answer. Check its policy, then try again.`
    throw new Failure('unavailable', detail, { cause, retryAfterSeconds: 1 })
  }
}

function present(bytes: Uint8Array | undefined): Uint8Array {
  if (!bytes) throw new Error('KMS answered without a key')
  return bytes
}
