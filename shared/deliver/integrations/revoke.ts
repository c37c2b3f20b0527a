// Asks a provider to revoke tokens that are not used any more.
import type { Context } from '../../base/context.ts'
import type { Connection } from './connection.ts'
import { openCredential } from './credential.ts'
import type { KnownConnector } from './known-connector.ts'
import { addressed, findClient } from './oauth/client.ts'
import { deleteConnection, nangoAccount } from './oauth/nango.ts'

/** False when the provider cannot be reached, or refuses. */
export const revokedAtProvider = (ctx: Context, connector: KnownConnector, connection: Connection): Promise<boolean> =>
  revoked(ctx, connector, connection).catch(() => false)

/** The refresh token ends the whole grant (RFC 7009 §2.1). */
async function revoked(ctx: Context, connector: KnownConnector, connection: Connection): Promise<boolean> {
  if (ctx.space.mode === 'test') return false
  if (connection.nango_id) {
    const account = await nangoAccount()
    return account ? deleteConnection(account, connection.nango_id, connector.id) : false
  }
  const [credential, client] = await Promise.all([openCredential(connector, connection), findClient(ctx, connector)])
  const { rules } = connector
  if (!credential?.tokens || !client || !rules?.revoke_url) return false
  const { revokeToken } = await import('./oauth/token-endpoint.ts')
  const { access_token, refresh_token = access_token } = credential.tokens
  await revokeToken({ rules: addressed(rules, credential.params, client.origin), client }, refresh_token)
  return true
}
