// Access tokens of OAuth (RFC 9068): which JWTs count as one, and what they say. Whether what they name is still alive is
// read elsewhere, at every request.
import * as z from 'zod'
import { keySet, verifyToken } from '../access/verify-token.ts'
import { env } from '../../base/lib/env.ts'

export const AccessClaims = z.object({
  iss: z.string(),
  aud: z.string(),
  /** The person, or the client itself. */
  sub: z.string(),
  client_id: z.string(),
  tenant_id: z.string(),
  mode: z.enum(['live', 'test']),
  roles: z.array(z.string()),
  /** Of people only. */
  email: z.string().optional(),
  /** Names the grant that it was issued under: the token ends with it. */
  gid: z.string().optional(),
  scope: z.string().default(''),
  jti: z.string(),
  /** Unix seconds. */
  iat: z.int(),
  exp: z.int(),
})
export type AccessClaims = z.output<typeof AccessClaims>

/** Whether a token speaks of a person; otherwise of the client itself. */
export const isOfPerson = ({ sub, client_id }: Pick<AccessClaims, 'sub' | 'client_id'>): boolean => sub !== client_id

const REQUIRED = ['sub', 'client_id', 'tenant_id', 'roles', 'jti'] as const

/** What a token that speaks of a person says besides. */
const lacks = (claims: AccessClaims) => isOfPerson(claims) && (claims.email === undefined || claims.gid === undefined)

/** The claims of a genuine token of ours for the API; undefined for anything else. Throws 503 without the keys. */
export async function readAccessToken(token: string, now: number): Promise<AccessClaims | undefined> {
  const issuer = env('APP_URL')
  const payload = await verifyToken(token, keySet(`${issuer}/.well-known/jwks.json`), {
    issuer,
    audience: env('BASE_URL'),
    typ: 'at+jwt',
    claims: REQUIRED,
    now,
  })
  const claims = AccessClaims.safeParse(payload)
  if (!claims.success || lacks(claims.data)) return undefined
  return claims.data
}
