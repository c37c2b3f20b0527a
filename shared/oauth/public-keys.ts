// The public halves of the keys that sign OAuth tokens. The first of them signs; the others still verify, or will.
import { createPublicKey } from 'node:crypto'
import { env } from '../lib/env.ts'
import { unavailable } from '../lib/failure.ts'
import { sha256 } from '../lib/hash.ts'

/** `kid`: the key's thumbprint (RFC 7638). */
export type PublicJwk = { kty: 'RSA'; n: string; e: string; kid: string; use: 'sig'; alg: 'RS256' }

export type OAuthKey = { arn: string; spki: Uint8Array; jwk: PublicJwk }

const loading = new Map<string, Promise<OAuthKey[]>>()

/** Read once per container, from KMS. */
export function oauthKeys(): Promise<OAuthKey[]> {
  const ids = env('OAUTH_KEY_IDS')
  const known = loading.get(ids)
  if (known) return known
  const load = Promise.all(ids.split(',').map(loadKey))
  loading.set(ids, load)
  load.catch(() => loading.delete(ids)) // a failed read must not poison the container
  return load
}

async function loadKey(id: string): Promise<OAuthKey> {
  const { GetPublicKeyCommand, kms } = await import('../aws/kms.ts')
  const { PublicKey } = await kms()
    .send(new GetPublicKeyCommand({ KeyId: id }))
    .catch((cause: unknown) => {
      throw unavailable('The key for tokens does not answer.', cause)
    })
  if (!PublicKey) throw new Error('KMS answered without a public key')
  return { arn: id, spki: PublicKey, jwk: jwkOf(PublicKey) }
}

export function jwkOf(spki: Uint8Array): PublicJwk {
  const { n, e } = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' }).export({ format: 'jwk' })
  if (n === undefined || e === undefined) throw new Error('a key for tokens that is not RSA')
  const kid = sha256(JSON.stringify({ e, kty: 'RSA', n })).toString('base64url')
  return { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' }
}
