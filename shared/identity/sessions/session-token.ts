// Session tokens are access tokens of the service's app client in the user pool. ID tokens and tokens of other clients are
// refused.
import { keySet, verifyToken } from '../access/verify-token.ts'
import { env } from '../../base/lib/runtime.ts'

/** The claims that are read from a session token. Roles are read from the account instead. */
export type SessionClaims = { sub: string; tenant_id: string; sid: string }

export const poolKeys = (): ReturnType<typeof keySet> => keySet(`${env('COGNITO_ISSUER')}/.well-known/jwks.json`)

/** Undefined for a token that is forged, expired or not of this service (`now` in ms). */
export async function readSessionToken(token: string, now: number): Promise<SessionClaims | undefined> {
  const claims = await verifyToken(token, poolKeys(), {
    issuer: env('COGNITO_ISSUER'),
    claims: ['sub', 'email', 'tenant_id', 'roles', 'origin_jti'],
    now,
  })
  if (!claims) return undefined
  const { sub, tenant_id, origin_jti: sid, token_use, aud, client_id } = claims
  const client = env('COGNITO_CLIENT_ID')
  // It is not documented whether the pool keeps the audience that our trigger function sets, so `client_id` is always
  // checked.
  const ours = client_id === client && (aud === undefined || aud === client)
  if (token_use !== 'access' || !ours || !isId(sub) || !isId(tenant_id) || !isId(sid)) return undefined
  return { sub, tenant_id, sid }
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{1,128}$/.test(value)
