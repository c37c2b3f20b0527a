// A signing key for the library whose private half never leaves KMS.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { ExternalSigningKey } from 'oidc-provider'
import type { OAuthKey } from './public-keys.ts'

/** Signs with the key of this ARN. */
export type Sign = (arn: string, data: Uint8Array) => Promise<Uint8Array>

/** For functions that only verify and whose role may not sign. */
const refuse: Sign = () => Promise.reject(new Error('this function signs no tokens'))

export class KmsKey extends ExternalSigningKey {
  readonly #arn: string
  readonly #sign: Sign
  readonly #public: KeyObject

  constructor({ arn, spki, jwk }: OAuthKey, sign: Sign = refuse) {
    super()
    this.#arn = arn
    this.#sign = sign
    this.#public = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    this.kid = jwk.kid
    this.alg = jwk.alg
  }

  override keyObject(): KeyObject {
    return this.#public
  }

  override sign(data: Uint8Array): Promise<Uint8Array> {
    return this.#sign(this.#arn, data)
  }
}
