// The ciphertext of the KMS stand-in: length and name of the key, IV, tag, AES-256-GCM ciphertext. The encryption context
// is its additional data.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { AwsError } from './aws-error.ts'

export type EncryptionContext = Record<string, string>
type SealingKey = { arn: string; secret: string }

const IV_BYTES = 12
const TAG_BYTES = 16

/** The encryption context in a fixed order, so that the order of its members does not matter. */
const authenticated = (context: EncryptionContext = {}) =>
  Buffer.from(JSON.stringify(Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1))))

export function encrypt({ arn, secret }: SealingKey, plaintext: Buffer, context?: EncryptionContext): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(secret, 'base64'), iv).setAAD(authenticated(context))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([Buffer.from([arn.length]), Buffer.from(arn), iv, cipher.getAuthTag(), ciphertext])
}

/** The key that a ciphertext names; it may not exist. */
export const keyOf = (blob: Buffer): string => blob.subarray(1, 1 + (blob[0] ?? 0)).toString()

/** Throws `InvalidCiphertextException` for another context and for changed bytes. */
export function decrypt({ arn, secret }: SealingKey, blob: Buffer, context?: EncryptionContext): Buffer {
  const [iv, tag] = [1 + arn.length, 1 + arn.length + IV_BYTES]
  try {
    const cipher = createDecipheriv('aes-256-gcm', Buffer.from(secret, 'base64'), blob.subarray(iv, tag))
    cipher.setAAD(authenticated(context)).setAuthTag(blob.subarray(tag, tag + TAG_BYTES))
    return Buffer.concat([cipher.update(blob.subarray(tag + TAG_BYTES)), cipher.final()])
  } catch {
    throw new AwsError('InvalidCiphertextException', '')
  }
}
