// A sealed value is `v1|<key id>|`, followed by the IV (12 bytes), the ciphertext and the tag (16 bytes) of AES-256-GCM. It
// opens only at the place it was sealed for and under the data key that its key id commits to.
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { derive, hmacSha256 } from '../../base/lib/json.ts'
import type { RandomBytes } from '../../base/lib/ids.ts'
import type { Key } from '../../base/table/entity.ts'

const VERSION = 'v1'
const IV_BYTES = 12
const TAG_BYTES = 16
const COMMITMENT_BYTES = 16

/** Item and attribute of a sealed value. A value that was moved elsewhere does not open. */
export type Place = Key & { attribute: string }

/**
 * An unwrapped data key. `id` is its name with a commitment to the key, because with AES-GCM alone a ciphertext can be made
 * that opens to different texts under two keys.
 */
export type DataKey = { id: string; secret: Uint8Array }

export function dataKey(name: string, raw: Uint8Array): DataKey {
  const commitment = Buffer.from(derive(raw, 'seal/v1/commitment')).subarray(0, COMMITMENT_BYTES)
  return { id: `${name}.${commitment.toString('hex')}`, secret: derive(raw, 'seal/v1/encryption') }
}

/** The name of a data key, from its id. */
export const nameOfKey = (id: string): string => id.slice(0, id.lastIndexOf('.'))

const boundTo = ({ pk, sk, attribute }: Place, keyId: string) => JSON.stringify([pk, sk, attribute, keyId])

/** Each place has its own key, so no key encrypts enough values for two random IVs to collide. */
const placeKey = (key: DataKey, place: string) => hmacSha256(key.secret, place)

export function seal(key: DataKey, at: Place, plain: Uint8Array, random: RandomBytes): Uint8Array {
  const place = boundTo(at, key.id)
  const iv = random(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', placeKey(key, place), iv).setAAD(Buffer.from(place))
  const sealed = [cipher.update(plain), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([Buffer.from(`${VERSION}|${key.id}|`), iv, ...sealed])
}

/** The key id of a sealed value. Throws on anything that `seal` did not write. */
export function keyIdOf(sealed: Uint8Array): string {
  const [version, id] = Buffer.from(sealed).subarray(0, 256).toString('latin1').split('|', 2)
  if (version !== VERSION || !id) throw new Error('the value is not sealed')
  return id
}

/** Length of the plain bytes, which follows from the sealed value without the key. */
export const plainLengthOf = (sealed: Uint8Array): number =>
  sealed.length - `${VERSION}|${keyIdOf(sealed)}|`.length - IV_BYTES - TAG_BYTES

/** Throws when the value was changed or belongs to another place or key. */
export function open(key: DataKey, at: Place, sealed: Uint8Array): Buffer {
  if (keyIdOf(sealed) !== key.id) throw new Error('the value is sealed under another key')
  const body = Buffer.from(sealed).subarray(`${VERSION}|${key.id}|`.length)
  const place = boundTo(at, key.id)
  const decipher = createDecipheriv('aes-256-gcm', placeKey(key, place), body.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(place)).setAuthTag(body.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(body.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
}
