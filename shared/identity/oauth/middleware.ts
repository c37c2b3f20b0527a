// Middleware around the library's routes for tokens: it notes the use of grants, and revokes access tokens, which the library
// cannot do.
import type { RequestContext } from 'oidc-provider'
import { type Context, openTable } from '../../base/context.ts'
import { alarm } from '../../base/lib/log.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { artefacts, named, sealPayload } from '../artefacts/artefact.ts'
import { endGrant } from '../artefacts/end-grant.ts'
import { type AccessClaims, ENDED_TOKEN, isOfPerson, readAccessToken } from './access-token.ts'
import { findClient, forgetClient, oauthClients } from './clients/client.ts'
import { asClient, contextIn } from './current-request.ts'
import { apiResource, mcpResource } from './resources.ts'

/**
 * Notes on a grant that tokens were issued under it, so that people see which applications they still use. An access token
 * lives a quarter of an hour, so the note is that exact, and no request with a token writes.
 */
export async function noteUse(ctx: RequestContext, next: () => Promise<void>): Promise<void> {
  await next()
  const id = ctx.path === '/oauth/token' && ctx.status === 200 ? ctx.oidc.entities.Grant?.jti : undefined
  if (id === undefined) return
  const table = openTable()
  const last_used_at = Math.floor(table.clock.now() / 1_000)
  const condition = { expression: 'attribute_exists(pk)' }
  try {
    await table.commit([artefacts.update(named('Grant', id), { set: { last_used_at }, condition })])
  } catch (error) {
    // The old refresh token is used up, so the client must get its new one, also when the note fails.
    if (!(error instanceof ConditionFailed)) alarm('oauth_failed', error)
  }
}

/**
 * Revokes access tokens (RFC 7009). The library stores no JWTs, so it answers `unsupported_token_type` for them, after it has
 * authenticated the client; this middleware then ends the token. A token for a person ends with its grant, and so does the
 * refresh token. A token of the client itself has no grant, and ends alone. A token of another client, or one that has ended,
 * is answered with 200 and changes nothing, as the standard says.
 */
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
  // The client asks for it, so it needs no notice.
  if (grant) await endGrant(ctx, grant, sub, { logouts: [] })
}

/** Ends a token of the client at once. A second time changes nothing. */
async function endToken(ctx: Context, { jti, exp, tenant_id, client_id }: AccessClaims): Promise<void> {
  const { table } = ctx
  const client = await findClient(table, client_id)
  if (!client) return // its tokens have ended with it
  const sealed = sealPayload(ENDED_TOKEN, jti, {}, table.random)
  const known = { expression: 'attribute_exists(pk)' }
  try {
    await table.commit([
      artefacts.insert({ ...named(ENDED_TOKEN, jti), sealed, exp, tenant_id, client_id }),
      ...(client.ends_tokens ? [] : [oauthClients.update(client, { set: { ends_tokens: true }, condition: known })]),
      ...changed(ctx, [
        {
          action: 'oauth_token.revoked',
          artifact: 'identity.oauth_token.revoked',
          subject: { type: 'oauth_token', id: jti },
          data: { client_id },
        },
      ]),
    ])
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error // it has ended meanwhile
  } finally {
    forgetClient(client_id)
  }
}
