// Opens a connection for the run of an action: address, headers, renewal of its tokens.
import type { Context } from '../../base/context.ts'
import type { Json } from '../../base/lib/json.ts'
import type { OpenConnection, OpenConnections } from '../../base/ports/effects.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Connection, connections } from './connection.ts'
import { callHeaders, type Credential, openCredential } from './credential.ts'
import { findConnector, type KnownConnector } from './known-connector.ts'
import { needsReauth } from './needs-reauth.ts'
import { isObject, member } from './openapi/resolve.ts'
import { isStillHere, missing } from './inbound-rules.ts'

export const openConnection: OpenConnections = async (ctx, connector_id): Promise<OpenConnection | undefined> => {
  const [connector, connection] = await Promise.all([
    findConnector(ctx, connector_id).catch(missing),
    ctx.table.get(connections, { ...ctx.space, connector_id }),
  ])
  if (!connector || connection?.status !== 'active') return undefined
  const credential = await openCredential(connector, connection)
  if (!credential) return undefined
  // Tokens act with the account of the person who agreed.
  if (connector.rules && !(await isStillHere(ctx, credential.by))) {
    const { revokedAtProvider } = await import('./revoke.ts')
    await needsReauth(ctx, connection, {
      reason: 'revoked',
      at_provider: await revokedAtProvider(ctx, connector, connection),
    })
    return undefined
  }
  const opened = connection.nango_id
    ? await keptByNango(ctx, connection, credential)
    : await keptHere(ctx, connector, { connection, credential })
  if (!opened) return undefined
  let current = opened
  return {
    base_url: credential.base_url,
    headers: callHeaders(connector, current.credential),
    isError: (answer) => saysError(connector, answer),
    renewed: async () => {
      if (!current.credential.tokens) return undefined
      const next = await renewedOf(ctx, connector, current)
      if (next) current = next
      return next && callHeaders(connector, next.credential)
    },
    refused: () => needsReauth(ctx, current.connection, { reason: 'revoked', at_provider: true }),
  }
}

type Opened = { connection: Stored<Connection>; credential: Credential }

/** Renewed before it ends, so that most calls need no second try. */
async function keptHere(ctx: Context, connector: KnownConnector, opened: Opened): Promise<Opened | undefined> {
  const { expires_at } = opened.connection
  if (expires_at === undefined) return opened
  const { EARLY_MS } = await import('./renew-tokens.ts')
  return expires_at - ctx.now() < EARLY_MS ? renewedOf(ctx, connector, opened) : opened
}

/** Undefined, after people were asked to connect again, when the provider has refused what Nango tried. */
async function keptByNango(
  ctx: Context,
  connection: Stored<Connection>,
  credential: Credential,
  renew = false,
): Promise<Opened | undefined> {
  const { tokenOfNango } = await import('./renew-tokens.ts')
  const access_token = await tokenOfNango(ctx, connection, renew)
  return access_token === undefined
    ? undefined
    : { connection, credential: { ...credential, tokens: { access_token, client_id: 'nango' } } }
}

async function renewedOf(ctx: Context, connector: KnownConnector, { connection, credential }: Opened) {
  if (connection.nango_id) return keptByNango(ctx, connection, credential, true)
  const { renewTokens } = await import('./renew-tokens.ts')
  return renewTokens(ctx, connector, credential.tokens?.access_token)
}

/** Some providers answer errors with a status of success. */
export function saysError({ provider }: Pick<KnownConnector, 'provider'>, answer: Json): boolean {
  const { error_when } = provider ?? {}
  if (!error_when || !isObject(answer)) return false
  const value = member(answer, error_when.member)
  return error_when.is === 'false' ? value === false : Array.isArray(value) && value.length > 0
}
