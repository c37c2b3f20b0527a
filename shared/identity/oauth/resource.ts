// The resources that tokens are issued for (RFC 8707): checks the requested scopes, sets the claims of the tokens, and answers
// introspection of them (RFC 7662).
import { type Client, errors, type Payload, type RequestContext, type ResourceServer } from 'oidc-provider'
import { SCOPES } from '../../base/catalog/permissions.ts'
import { ACCESS_SECONDS } from '../../base/limits/published.ts'
import { allRoles } from '../accounts/user.ts'
import type { KnownAccount } from './account.ts'
import { named } from '../artefacts/artefact.ts'
import { currentRequest } from './current-request.ts'
import { apiResource, mcpResource } from './resources.ts'
import { API_SCOPES, IDENTITY_SCOPES, OAUTH_SCOPES } from './scopes.ts'
import { openTable } from '../../base/context.ts'
import { type AccessClaims, bearerOf, readAccessToken } from './access-token.ts'

/** Throws `invalid_target` for anything but the API and the tools of the client's tenant. */
export function resourceServer(ctx: RequestContext, resource: string, client: Client): ResourceServer {
  if (resource !== apiResource() && resource !== mcpResource(client.tenant_id)) throw new errors.InvalidTarget()
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

/**
 * For authorization requests, pushed ones included. Without a resource they are about a person, so they need `openid`, which the
 * library itself would not require. A client that follows RFC 9728 names the resource and asks for the scopes of it only.
 */
export function checkAuthorizationScope({ query }: RequestContext, scope: string | undefined): void {
  const scopes = scope?.split(' ') ?? []
  mustNotNameKeyScopes(scopes)
  const checkedBefore = query.request_uri !== undefined // when the request was pushed
  const resourceNamed = query.resource !== undefined || currentRequest().form.has('resource')
  if (!checkedBefore && !resourceNamed && !scopes.includes('openid'))
    throw new errors.InvalidScope('Request the scope openid, or name a resource.', 'openid')
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

/**
 * Introspects access tokens. The library stores no JWTs, so it answers `unsupported_token_type` for them, after it has authenticated
 * the client; this middleware then answers as the API itself would decide, so that resource servers learn of a revocation.
 */
export async function introspectOwn(ctx: RequestContext, next: () => Promise<void>): Promise<void> {
  await next()
  const { error } = (ctx.body ?? {}) as { error?: unknown }
  if (ctx.path !== '/oauth/introspect' || error !== 'unsupported_token_type') return
  ctx.status = 200
  ctx.body = await factsOf(ctx)
}

/** Confidential clients may introspect all tokens of their tenant. Anybody can pose as a public one, so it sees only its own. */
const mayKnow = (client: Client | undefined, { client_id, tenant_id }: AccessClaims) =>
  client?.clientId === client_id || (client?.clientAuthMethod !== 'none' && client?.tenant_id === tenant_id)

/** Only its own client may introspect or revoke a refresh token. */
export const isOwn = (_: RequestContext, { clientId }: Client, token: { clientId?: string }): boolean =>
  clientId === token.clientId

async function factsOf({ oidc }: RequestContext): Promise<object> {
  const table = openTable()
  const resources = [apiResource(), mcpResource(oidc.client?.tenant_id ?? '')]
  const claims = await readAccessToken(oidc.params?.token ?? '', table.clock.now(), resources)
  if (!claims || !mayKnow(oidc.client, claims)) return { active: false }
  const bearer = await bearerOf(table, claims)
  return bearer ? { active: true, token_type: 'Bearer', ...claims } : { active: false }
}
