// Lets the library sign with a key that never leaves KMS.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { ExternalSigningKey } from 'oidc-provider'
import { sha256 } from '../lib/hash.ts'
import type { OAuthKey } from './public-keys.ts'

export class KmsKey extends ExternalSigningKey {
  readonly #arn: string
  readonly #public: KeyObject

  constructor({ arn, spki, jwk }: OAuthKey) {
    super()
    this.#arn = arn
    this.#public = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    this.kid = jwk.kid
    this.alg = jwk.alg
  }

  override keyObject(): KeyObject {
    return this.#public
  }

  /** Signs the digest: a token with many roles is longer than the messages that KMS takes. */
  override async sign(data: Uint8Array): Promise<Uint8Array> {
    const { kms, SignCommand } = await import('../aws/kms.ts')
    const { Signature } = await kms().send(
      new SignCommand({
        KeyId: this.#arn,
        Message: sha256(data),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
      }),
    )
    if (!Signature) throw new Error('KMS answered without a signature')
    return Signature
  }
}
