// Checks that a KMS key can be used: describes it, then generates and decrypts a data key under it.
import type { KeyMetadata } from '@aws-sdk/client-kms'
import { unavailable } from '../../base/lib/failure.ts'
import { sameBytes } from '../../base/lib/json.ts'

const THROTTLED = /Throttl|LimitExceeded|TooManyRequests/

/** The name of the error that KMS answers; undefined when the key works. Throws 503 while KMS itself does not answer. */
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
