// Signs tokens in KMS. Only functions whose role may sign load this.
import { sha256 } from '../../base/lib/json.ts'
import type { Sign } from './signing-key.ts'

/** Signs the digest, because a token with many roles is longer than the messages that KMS accepts. */
export const signWithKms: Sign = async (arn, data) => {
  const { kms, SignCommand } = await import('../../base/aws/kms.ts')
  const { Signature } = await kms().send(
    new SignCommand({
      KeyId: arn,
      Message: sha256(data),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
    }),
  )
  if (!Signature) throw new Error('KMS answered without a signature')
  return Signature
}
