// Payloads and secrets at rest: sealed under the tenant's data key and bound to the item and attribute that hold them.
import { currentRuntime, type Space } from '../../base/context.ts'
import { canonicalJson, type Json } from '../../base/lib/json.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { Key } from '../../base/table/entity.ts'
import { DEFAULT_KEY, findDataKey, needDataKey } from './data-keys.ts'
import { hex, payloadCommitment } from '../evidence/artifact/hashes.ts'
import { keyIdOf, open, plainLengthOf, seal } from './seal-format.ts'

const SALT_BYTES = 32

/** `keyName`: the `subject_ref` of the data subject whose erasure must make the value unreadable. */
export type SealOptions = { keyName?: string | undefined }

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
  const key = await findDataKey(space, keyIdOf(sealed))
  if (!key) throw new Failure('conflict', 'The payload was erased. Nobody can read it any more.')
  return open(key, { ...at, attribute }, sealed)
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
