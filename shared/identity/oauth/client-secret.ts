// The secret of a client at rest: sealed under its tenant's data key.
import type { Space } from '../../base/context.ts'
import { openBytes, sealBytes } from '../../ledger/sealing/seal.ts'
import { type OAuthClient, oauthClients } from './client.ts'

type Owner = { client_id: string; tenant_id: string }
const spaceOf = ({ tenant_id }: Owner): Space => ({ tenant_id, mode: 'live' })

export const sealSecret = (client: Owner, secret: string): Promise<Uint8Array> =>
  sealBytes(spaceOf(client), oauthClients.key(client), 'sealed_secret', Buffer.from(secret))

/** The secret in clear; undefined when the client has none. */
export async function openSecret(client: OAuthClient): Promise<string | undefined> {
  const { sealed_secret } = client
  if (!sealed_secret) return undefined
  return (await openBytes(spaceOf(client), oauthClients.key(client), 'sealed_secret', sealed_secret)).toString()
}
