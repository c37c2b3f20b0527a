// Introspection of access tokens (RFC 7662). The library does not store JWTs, so it cannot introspect them. This answers as
// the API itself would decide, so that resource servers learn of a revocation.
import type { Client, RequestContext } from 'oidc-provider'
import { openTable } from '../../base/context.ts'
import { type AccessClaims, readAccessToken } from './access-token.ts'
import { bearerOf } from './bearer.ts'
import { apiResource, mcpResource } from './resources.ts'

/** Runs around the library. When the library answers `unsupported_token_type`, it has authenticated the client. */
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
