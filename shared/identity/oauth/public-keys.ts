// The public keys of OAuth tokens, read from KMS. The first key signs. The others are past or future signing keys.
import { createPublicKey } from 'node:crypto'
import { env } from '../../base/lib/runtime.ts'
import { unavailable } from '../../base/lib/failure.ts'
import { sha256 } from '../../base/lib/json.ts'
import { once } from '../../base/lib/memory.ts'

/** `kid`: the key's thumbprint (RFC 7638). */
export type PublicJwk = { kty: 'RSA'; n: string; e: string; kid: string; use: 'sig'; alg: 'RS256' }

export type OAuthKey = { arn: string; spki: Uint8Array; jwk: PublicJwk }

/** All keys, read once per container. */
export const oauthKeys = /* @__PURE__ */ once(() => Promise.all(env('OAUTH_KEY_IDS').split(',').map(loadKey)))

async function loadKey(id: string): Promise<OAuthKey> {
  const { GetPublicKeyCommand, kms } = await import('../../base/aws/kms.ts')
  const { PublicKey } = await kms()
    .send(new GetPublicKeyCommand({ KeyId: id }))
    .catch((cause: unknown) => {
      throw unavailable('The signing key for tokens cannot be read. Try again in a moment.', cause)
    })
  if (!PublicKey) throw new Error('KMS answered without a public key')
  return { arn: id, spki: PublicKey, jwk: jwkOf(PublicKey) }
}

export function jwkOf(spki: Uint8Array): PublicJwk {
  const { n, e } = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' }).export({ format: 'jwk' })
  if (n === undefined || e === undefined) throw new Error('the key of OAuth tokens is not an RSA key')
  const kid = sha256(JSON.stringify({ e, kty: 'RSA', n })).toString('base64url')
  return { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' }
}
