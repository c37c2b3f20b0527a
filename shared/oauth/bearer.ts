// Who bears an access token, as of now: a disabled client ends within 30 seconds, a person at once.
import type { Stored } from '../table/entity.ts'
import type { Table } from '../table/table.ts'
import type { User } from '../users/user.ts'
import { type AccessClaims, isOfPerson } from './access-token.ts'
import { activeUser } from './account.ts'
import { clientOf, type OAuthClient } from './client.ts'

export type Bearer = { client: OAuthClient; user?: Stored<User> }

/** Undefined once the client is disabled or gone, or the person suspended, gone, or signed out everywhere. */
export async function bearerOf(table: Table, claims: AccessClaims): Promise<Bearer | undefined> {
  const { sub: id, client_id, tenant_id, iat: since } = claims
  const [client, user] = await Promise.all([
    clientOf(table, client_id),
    isOfPerson(claims) ? activeUser(table, { tenant_id, id, since }) : undefined,
  ])
  if (!client || client.status !== 'active' || client.tenant_id !== tenant_id) return undefined
  if (isOfPerson(claims)) return user && { client, user }
  return { client }
}
