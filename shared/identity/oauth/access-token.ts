// Access tokens of OAuth (RFC 9068): verifies a JWT and reads its claims (`readAccessToken`), and reads at every request whether the
// client, person and grant that they name are still active (`bearerOf`).
import * as z from 'zod'
import { keySet, verifyToken } from '../access/verify-token.ts'
import { env } from '../../base/lib/runtime.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { apiResource } from './resources.ts'
import type { Permission } from '../../base/catalog/permissions.ts'
import type { Table } from '../../base/table/table.ts'
import { grantNow, makerOf, type Person, personNow } from '../access/permissions.ts'
import { isAlive } from './account.ts'
import { artefacts, named, storedId } from '../artefacts/artefact.ts'
import { clientOf, type OAuthClient, rememberedClient } from './clients/client.ts'
import { mayAct } from './clients/may-act.ts'

export const AccessClaims = z.object({
  iss: z.string(),
  aud: z.string(),
  /** The person, or the client itself. */
  sub: z.string(),
  client_id: z.string(),
  ...spaceMembers,
  roles: z.array(z.string()),
  /** Only in tokens for a person. */
  email: z.string().optional(),
  /** The hash of the grant that the token was issued under. The token ends with the grant. */
  gid: z.string().optional(),
  scope: z.string().default(''),
  jti: z.string(),
  /** Unix seconds. */
  iat: z.int(),
  exp: z.int(),
})
export type AccessClaims = z.output<typeof AccessClaims>

/** Whether a token acts for a person; otherwise it acts for the client itself. */
export const isOfPerson = ({ sub, client_id }: Pick<AccessClaims, 'sub' | 'client_id'>): boolean => sub !== client_id

const REQUIRED = ['sub', 'client_id', 'tenant_id', 'roles', 'jti'] as const

/** Tokens for a person also need an address and a grant. */
const lacksPersonClaims = (claims: AccessClaims) =>
  isOfPerson(claims) && (claims.email === undefined || claims.gid === undefined)

/**
 * The claims of a valid access token for these resources, by default for the API; undefined for anything else. Throws 503 when
 * the keys cannot be read.
 */
export async function readAccessToken(
  token: string,
  now: number,
  audience: string | string[] = apiResource(),
): Promise<AccessClaims | undefined> {
  const issuer = env('APP_URL')
  const payload = await verifyToken(token, keySet(`${issuer}/.well-known/jwks.json`), {
    issuer,
    audience,
    typ: 'at+jwt',
    claims: REQUIRED,
    now,
  })
  const claims = AccessClaims.safeParse(payload)
  if (!claims.success || lacksPersonClaims(claims.data)) return undefined
  return claims.data
}

/** The client and the person of an access token, as they are now. */
export type Bearer = {
  client: OAuthClient
  /** The most that the client itself may do. */
  grant: ReadonlySet<Permission>
  /** Who made the client, unless it belongs to the tenant. */
  maker: Person | undefined
  person?: Person
}

/**
 * Reads client, maker, person and grant of a token, all in one round trip at every request, so the end of one of them ends the token
 * at once. Undefined when one of them is disabled, suspended, removed or has ended.
 */
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

/**
 * The artefact of an access token of a client itself that has ended before its time. Such a token has no grant that could end. A
 * client that has ever ended one says so in its item, so nothing is looked up for the others.
 */
export const ENDED_TOKEN = 'EndedToken'

const hasEnded = async (table: Table, { jti }: { jti: string }): Promise<boolean> =>
  (await table.get(artefacts, named(ENDED_TOKEN, jti))) !== undefined
