// The members of a client that are stored sealed under its tenant's data key: its secret, and the address to which notices of logout
// are sent. That address is stored in clear, too. The sealed one is called: otherwise somebody who can write to the table could put
// their own address there and learn who signs out.
import type { Space } from '../../../base/context.ts'
import { openBytes, sealBytes } from '../../../ledger/sealing/seal.ts'
import { type OAuthClient, oauthClients } from './client.ts'
import { invalid } from '../../../base/lib/failure.ts'
import { refusalOfTarget } from '../../../base/lib/safe-http.ts'

type Owner = { client_id: string; tenant_id: string }
const spaceOf = ({ tenant_id }: Owner): Space => ({ tenant_id, mode: 'live' })

/** The stored form of a secret. */
export const sealSecret = (client: Owner, secret: string): Promise<Uint8Array> =>
  sealBytes(spaceOf(client), oauthClients.key(client), 'sealed_secret', Buffer.from(secret))

/** The secret in clear; undefined when the client has none. */
export async function openSecret(client: OAuthClient): Promise<string | undefined> {
  const { sealed_secret } = client
  if (!sealed_secret) return undefined
  return (await openBytes(spaceOf(client), oauthClients.key(client), 'sealed_secret', sealed_secret)).toString()
}

type WithLogoutUri = Owner & Pick<OAuthClient, 'backchannel_logout_uri'>

const placeOf = (client: Owner) => [spaceOf(client), oauthClients.key(client), 'sealed_logout_uri'] as const

/** Why the address may not be called; undefined when it may, or when there is none. */
export const refusalOfLogoutUri = async ({ backchannel_logout_uri: uri }: WithLogoutUri): Promise<string | undefined> =>
  uri === null ? undefined : refusalOfTarget(uri)

/** Throws 422 for an address that must not be called. The present addresses of its host are checked, too. */
export async function sealLogoutUri(client: WithLogoutUri): Promise<OAuthClient['sealed_logout_uri']> {
  const refusal = await refusalOfLogoutUri(client)
  if (refusal !== undefined) throw invalid(['backchannel_logout_uri'], refusal)
  const { backchannel_logout_uri: uri } = client
  return uri === null ? undefined : sealBytes(...placeOf(client), Buffer.from(uri))
}

/** The address to call; undefined when the client has none. Throws when it was not sealed for this client. */
export async function openLogoutUri(client: OAuthClient): Promise<string | undefined> {
  const { sealed_logout_uri: sealed } = client
  return sealed && (await openBytes(...placeOf(client), sealed)).toString()
}
