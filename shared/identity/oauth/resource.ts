// The only resource of tokens is the API (RFC 8707). This file checks the requested scopes and sets the claims of its tokens.
import { type Client, errors, type Payload, type RequestContext, type ResourceServer } from 'oidc-provider'
import { SCOPES } from '../../base/catalog/permissions.ts'
import { env } from '../../base/lib/env.ts'
import { ACCESS_SECONDS } from '../../base/limits/published.ts'
import { allRoles } from '../accounts/all-roles.ts'
import type { KnownAccount } from './account.ts'
import { named } from '../artefacts/artefact.ts'
import { API_SCOPES, IDENTITY_SCOPES, OAUTH_SCOPES } from './scopes.ts'

/** Throws `invalid_target` for any other resource. */
export function resourceServer(ctx: RequestContext, resource: string, client: Client): ResourceServer {
  if (resource !== env('BASE_URL')) throw new errors.InvalidTarget()
  if (ctx.oidc.params?.grant_type === 'client_credentials') checkClientScope(ctx.oidc.params, client)
  return {
    scope: OAUTH_SCOPES.join(' '),
    audience: resource,
    accessTokenTTL: ACCESS_SECONDS,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  }
}

const IDENTITY: ReadonlySet<string> = new Set(IDENTITY_SCOPES)
const CARRIED: ReadonlySet<string> = new Set(OAUTH_SCOPES)
const KEYS_ONLY: ReadonlySet<string> = new Set(SCOPES.filter((scope) => !CARRIED.has(scope)))

/** A client that acts for itself gets no scopes of identity. Without `scope` it gets all API scopes of its registration. */
function checkClientScope(params: NonNullable<RequestContext['oidc']['params']>, client: Client): void {
  const registered = client.scope?.split(' ') ?? []
  params.scope ??= API_SCOPES.filter((scope) => registered.includes(scope)).join(' ')
  const scopes = params.scope.split(' ')
  mustNotNameKeyScopes(scopes)
  const identity = scopes.find((scope) => IDENTITY.has(scope))
  if (identity)
    throw new errors.InvalidScope('A client that acts for itself cannot have scopes about a person.', identity)
}

/** Refuses scopes that only API keys can have. Unknown scopes are ignored elsewhere. */
function mustNotNameKeyScopes(scopes: readonly string[]): void {
  const refused = scopes.find((scope) => KEYS_ONLY.has(scope))
  if (refused) throw new errors.InvalidScope('The requested scope is for API keys only.', refused)
}

/** For authorization requests, pushed ones included. The library itself would not require `openid`. */
export function checkAuthorizationScope(_: RequestContext, scope: string | undefined): void {
  const scopes = scope?.split(' ') ?? []
  mustNotNameKeyScopes(scopes)
  if (!scopes.includes('openid')) throw new errors.InvalidScope('The scope openid must be requested.', 'openid')
}

/** The claims of access tokens beside those of RFC 9068. */
export function tokenClaims({ oidc }: RequestContext, { kind, grantId }: { kind: string; grantId?: string }): Payload {
  const { account, client } = oidc
  const { tenant_id, mode } = client ?? {}
  if (kind === 'ClientCredentials') return { tenant_id, mode, roles: [] }
  const { user } = account as KnownAccount // from `findAccount`
  const gid = grantId === undefined ? undefined : named('Grant', grantId).hash
  return { tenant_id, mode, roles: allRoles(user), email: user.email, gid }
}
