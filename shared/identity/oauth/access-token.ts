// Access tokens of OAuth (RFC 9068): verifies a JWT and reads its claims. `bearer.ts` reads at every request whether the
// client, person and grant that they name are still active.
import * as z from 'zod'
import { keySet, verifyToken } from '../access/verify-token.ts'
import { env } from '../../base/lib/env.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { apiResource } from './resources.ts'

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
