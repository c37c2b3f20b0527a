// Revocation of access tokens (RFC 7009). The library does not store JWTs, so it cannot revoke them. A token for a person ends
// with its grant, and the refresh token with it. A token of the client itself has no grant, and ends alone.
import type { RequestContext } from 'oidc-provider'
import { openTable } from '../../base/context.ts'
import { artefacts } from '../artefacts/artefact.ts'
import { type AccessClaims, isOfPerson, readAccessToken } from './access-token.ts'
import { asClient, contextIn } from './current-request.ts'
import { endToken } from './end-token.ts'
import { endGrant } from '../artefacts/end-grant.ts'
import { apiResource, mcpResource } from './resources.ts'

/** Runs around the library. When the library answers `unsupported_token_type`, it has authenticated the client. */
export async function revokeAccessToken(ctx: RequestContext, next: () => Promise<void>): Promise<void> {
  await next()
  const { error } = (ctx.body ?? {}) as { error?: unknown }
  if (ctx.path !== '/oauth/revoke' || error !== 'unsupported_token_type') return
  const { client, params } = ctx.oidc
  const resources = [apiResource(), mcpResource(client?.tenant_id ?? '')]
  const claims = await readAccessToken(params?.token ?? '', openTable().clock.now(), resources)
  if (claims && claims.client_id === client?.clientId) await end(claims)
  ctx.status = 200
  ctx.body = ''
}

async function end(claims: AccessClaims): Promise<void> {
  const { gid: hash, tenant_id, client_id, sub } = claims
  const ctx = contextIn(tenant_id, asClient(client_id))
  if (!isOfPerson(claims)) return endToken(ctx, claims)
  const grant = hash === undefined ? undefined : await openTable().get(artefacts, { model: 'Grant', hash })
  // The client asks for it, so it need not be told.
  if (grant) await endGrant(ctx, grant, sub, { logouts: [] })
}
