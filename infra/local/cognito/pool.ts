// The pool of the Cognito stand-in: ids, client, and the RSA key that signs its tokens. Created at the first start.
import { createHash, createPublicKey, generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { Disk } from '../disk.ts'

export type Pool = {
  id: string
  clientId: string
  clientSecret: string
  /** RSA-2048, PKCS#8 PEM; signs access and ID tokens alike. */
  privateKey: string
}

const FILE = 'cognito-pool.json'
const REGION = 'us-east-1'
const makeKeyPair = promisify(generateKeyPair)

/** Asynchronous, because creating the key is slow and must not block the start. */
export async function openPool(disk: Disk): Promise<Pool> {
  const known = disk.readSecretFile(FILE)
  if (known) return known as Pool // written below
  const { privateKey } = await makeKeyPair('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'pem', type: 'spki' },
  })
  const made: Pool = {
    id: `${REGION}_${randomBytes(4).toString('hex')}`,
    clientId: randomBytes(13).toString('hex'),
    clientSecret: randomBytes(24).toString('hex'),
    privateKey,
  }
  disk.writeSecretFile(FILE, made)
  return made
}

export const arnOf = ({ id }: Pool): string => `arn:aws:cognito-idp:${REGION}:000000000000:userpool/${id}`

/** The key id in tokens and in the key set: a digest of the public key. */
export function kidOf({ privateKey }: Pool): string {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return createHash('sha256').update(spki).digest('base64')
}

/** What stands at `{issuer}/.well-known/jwks.json` (RFC 7517). */
export function keySetOf(pool: Pool): object {
  const { kty, n, e } = createPublicKey(pool.privateKey).export({ format: 'jwk' })
  return { keys: [{ alg: 'RS256', e, kid: kidOf(pool), kty, n, use: 'sig' }] }
}
