// The current state of the client, person and grant behind an access token. All are read at every request, as one
// call, so whatever ends one of them ends the token at once: also a person as the maker of the client.
import type { Permission } from '../../base/catalog/permissions.ts'
import type { Table } from '../../base/table/table.ts'
import { grantNow, makerOf } from '../access/grant-now.ts'
import { type Person, personNow } from '../access/permissions-now.ts'
import { type AccessClaims, isOfPerson } from './access-token.ts'
import { isAlive } from './account.ts'
import { artefacts } from '../artefacts/artefact.ts'
import { storedId } from '../artefacts/client-id.ts'
import { clientOf, type OAuthClient, rememberedClient } from './client.ts'
import { hasEnded } from './ended-token.ts'
import { mayAct } from './may-act.ts'

export type Bearer = {
  client: OAuthClient
  /** The most that the client itself may do. */
  grant: ReadonlySet<Permission>
  /** Who made the client, unless it belongs to the tenant. */
  maker: Person | undefined
  person?: Person
}

/** Undefined when the client, its maker or the person is disabled, suspended or removed, or when the grant or token has ended. */
export async function bearerOf(table: Table, claims: AccessClaims): Promise<Bearer | undefined> {
  const { sub: id, tenant_id, iat: since, gid } = claims
  const client_id = storedId(claims.client_id, tenant_id)
  const guess = rememberedClient(client_id)
  const [client, person, granted, guessed, marked] = await Promise.all([
    clientOf(table, client_id),
    isOfPerson(claims) ? personNow(table, { tenant_id, id }) : undefined,
    gid === undefined ? undefined : table.get(artefacts, { model: 'Grant', hash: gid }),
    guess && makerOf(table, guess),
    guess?.ends_tokens ? hasEnded(table, claims) : undefined,
  ])
  if (!client || !(await mayAct(table, client, tenant_id))) return undefined
  const maker = guess && guess.service === client.service ? guessed : await makerOf(table, client)
  const grant = grantNow(client, maker)
  if (!grant) return undefined
  if (!isOfPerson(claims))
    return client.ends_tokens && (marked ?? (await hasEnded(table, claims))) ? undefined : { client, grant, maker }
  const holds = granted !== undefined && granted.exp * 1_000 > table.clock.now()
  return holds && person && isAlive(person.user, since) ? { client, grant, maker, person } : undefined
}
