// Payloads and secrets at rest: sealed under the tenant's data key and bound to the item and attribute that hold them. There
// is one data key per tenant, mode and data subject, stored only wrapped by KMS. A container caches an unwrapped key for at most
// five minutes, so a disabled or erased key may work for that long.
import { currentRuntime, openTable, type Space } from '../../base/context.ts'
import { canonicalJson, hmacSha256, type Json } from '../../base/lib/json.ts'
import { Failure } from '../../base/lib/failure.ts'
import { type Key, key, toAttributes } from '../../base/table/entity.ts'
import { hex, payloadCommitment } from '../evidence/artifact/hashes.ts'
import { type DataKey, dataKey, keyIdOf, nameOfKey, open, plainLengthOf, seal } from './seal-format.ts'
import { derivedKey } from '../../base/aws/deployment-secret.ts'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { KMSClient } from '@aws-sdk/client-kms'
import type * as Kms from '../../base/aws/kms.ts'
import { dynamodb } from '../../base/aws/clients.ts'
import { encryptionContext, keysTable, wrappedKeys, wrappingKeyOf } from './wrapped-key.ts'
import { iso, within } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import { memory } from '../../base/lib/memory.ts'

const SALT_BYTES = 32

/** `keyName`: the `subject_ref` of the data subject whose erasure must make the value unreadable. */
type SealOptions = { keyName?: string | undefined }

/** Throws `unavailable` while the tenant's key does not answer: nothing is ever stored in plain text instead. */
export async function sealBytes(
  space: Space,
  at: Key,
  attribute: string,
  plain: Uint8Array,
  { keyName = DEFAULT_KEY }: SealOptions = {},
): Promise<Uint8Array> {
  return seal(await needDataKey(space, keyName), { ...at, attribute }, plain, currentRuntime().random)
}

/** Throws `conflict` when the value was erased, `unavailable` while the tenant's key does not answer. */
export async function openBytes(space: Space, at: Key, attribute: string, sealed: Uint8Array): Promise<Buffer> {
  const sealingKey = await findDataKey(space, keyIdOf(sealed))
  if (!sealingKey) throw new Failure('conflict', 'The payload was erased. Nobody can read it any more.')
  return open(sealingKey, { ...at, attribute }, sealed)
}

/**
 * Seals a payload together with a new salt. `commitment` (hex) goes into headers and digests. The salt is sealed and erased
 * with the payload; without it nobody can guess the payload from its commitment.
 */
export async function sealPayload(space: Space, at: Key, attribute: string, payload: unknown, options?: SealOptions) {
  const salt = currentRuntime().random(SALT_BYTES)
  const plain = Buffer.concat([salt, Buffer.from(canonicalJson(payload))])
  const sealed = await sealBytes(space, at, attribute, plain, options)
  return { sealed, commitment: hex(payloadCommitment(salt, payload)) }
}

/** Opens payload and salt. */
export async function openPayload(space: Space, at: Key, attribute: string, sealed: Uint8Array) {
  const plain = await openBytes(space, at, attribute, sealed)
  const payload: Json = JSON.parse(plain.subarray(SALT_BYTES).toString())
  return { payload, salt: plain.subarray(0, SALT_BYTES) }
}

/** Bytes of a sealed payload without its salt, as they were counted when it was stored; of an erased one, too. */
export const payloadBytes = (sealed: Uint8Array): number => plainLengthOf(sealed) - SALT_BYTES

/** Seals and opens one attribute as text, for stores without a binary type. */
export const textSeal = (attribute: string) => ({
  seal: async (space: Space, at: Key, text: string): Promise<string> =>
    Buffer.from(await sealBytes(space, at, attribute, Buffer.from(text))).toString('base64'),
  open: async (space: Space, at: Key, sealed: string): Promise<string> =>
    (await openBytes(space, at, attribute, Buffer.from(sealed, 'base64'))).toString(),
})

/** The pseudonym (32 hex digits) of a data subject of this tenant. The subject itself is never stored. */
export async function subjectRef({ tenant_id }: Space, dataSubject: string): Promise<string> {
  return hex(hmacSha256(await derivedKey(`subject-ref/v1/${tenant_id}`), dataSubject).subarray(0, 16))
}

const KEPT_MS = 300_000

/** The data key for values without a data subject. */
const DEFAULT_KEY = 'default'

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
async function needDataKey(space: Space, name: string): Promise<DataKey> {
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
