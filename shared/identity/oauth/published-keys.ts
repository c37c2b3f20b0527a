// The keys that the service publishes for its tokens.
import type { JWK } from 'jose'
import { unavailable } from '../../base/lib/failure.ts'
import { oauthKeys } from './public-keys.ts'
import { poolKeys } from '../sessions/session-token.ts'

/** The public keys of all tokens for the API: those of the user pool and those of OAuth tokens. */
export async function publishedKeys(): Promise<JWK[]> {
  const [pool, oauth] = await Promise.all([keysOfPool(), oauthKeys()])
  return [...pool, ...oauth.map(({ jwk }) => jwk)]
}

async function keysOfPool(): Promise<JWK[]> {
  const set = poolKeys()
  try {
    if (!set.fresh) await set.reload()
  } catch (error) {
    throw unavailable('The keys of the token issuer cannot be read. Try again later.', error)
  }
  return set.jwks()?.keys ?? []
}
