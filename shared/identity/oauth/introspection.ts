// Introspection of access tokens. The library knows those it stores, and a JWT it does not store: so that resource servers
// learn of revocation all the same, we answer for it as the API itself would decide.
import type { Client, RequestContext } from 'oidc-provider'
import { openTable } from '../../base/context.ts'
import { type AccessClaims, readAccessToken } from './access-token.ts'
import { bearerOf } from './bearer.ts'

/** Runs around the library: it has authenticated the client when it says that it cannot tell. */
export async function introspectOwn(ctx: RequestContext, next: () => Promise<void>): Promise<void> {
  await next()
  const { error } = (ctx.body ?? {}) as { error?: unknown }
  if (ctx.path !== '/oauth/introspect' || error !== 'unsupported_token_type') return
  ctx.status = 200
  ctx.body = await factsOf(ctx)
}

/** Resource servers of a tenant are its confidential clients; a public one could be anybody, and learns of its own only. */
const mayKnow = (client: Client | undefined, { client_id, tenant_id }: AccessClaims) =>
  client?.clientId === client_id || (client?.clientAuthMethod !== 'none' && client?.tenant_id === tenant_id)

/** Refresh tokens are their own client's business, to ask about as to revoke. */
export const isOwn = (_: RequestContext, { clientId }: Client, token: { clientId?: string }): boolean =>
  clientId === token.clientId

async function factsOf({ oidc }: RequestContext): Promise<object> {
  const table = openTable()
  const claims = await readAccessToken(oidc.params?.token ?? '', table.clock.now())
  if (!claims || !mayKnow(oidc.client, claims)) return { active: false }
  const bearer = await bearerOf(table, claims)
  return bearer ? { active: true, token_type: 'Bearer', ...claims } : { active: false }
}
