// New tokens for a connection, by one process at a time: a provider that rotates refresh tokens takes each once.
import type { Context } from '../../base/context.ts'
import { Failure, unavailable } from '../../base/lib/failure.ts'
import { lease } from '../../base/kernel/lease.ts'
import type { Stored } from '../../base/table/entity.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import { type Connection, connections } from './connection.ts'
import { type Credential, openCredential, sealCredential, type Tokens } from './credential.ts'
import type { KnownConnector } from './known-connector.ts'
import { needsReauth, REFRESH_FAILED } from './needs-reauth.ts'
import { addressed, findClient } from './oauth/client.ts'
import { nangoAccount, readConnection } from './oauth/nango.ts'
import { Refused } from './oauth/conformed.ts'
import { type Grant, refreshTokens } from './oauth/token-endpoint.ts'

/** Refreshed when less than this is left. */
export const EARLY_MS = 300_000
/** How long a caller waits while another one asks the provider. */
const WAITS_MS = [100, 200, 400, 800, 1_600]

const turns = /* @__PURE__ */ lease(connections, 30_000, {
  of: ({ refreshing_until }) => refreshing_until,
  until: (refreshing_until) => ({ refreshing_until }),
})

export type Renewed = { connection: Stored<Connection>; credential: Credential }

/**
 * `used`: the access token that no longer works, or soon will not. Undefined when people must connect again. The caller that gets
 * the lease asks the provider; others wait and read the new tokens. The new tokens are stored in one write. If the process dies
 * between the provider's answer and that write, a provider that rotates refresh tokens has used up the old one: the next renewal
 * gets `invalid_grant`, and people are asked to connect again.
 */
export async function renewTokens(
  ctx: Context,
  connector: KnownConnector,
  used: string | undefined,
): Promise<Renewed | undefined> {
  for (const wait of [...WAITS_MS, undefined]) {
    const was = await ctx.table.get(connections, { ...ctx.space, connector_id: connector.id })
    const credential = was?.status === 'active' ? await openCredential(connector, was) : undefined
    if (!was || !credential?.tokens) return undefined
    if (credential.tokens.access_token !== used) return { connection: was, credential } // another has renewed them
    const leased = await turns.take(ctx, was)
    if (leased) return renew(ctx, connector, { connection: leased, credential })
    if (wait !== undefined) await ctx.clock.sleep(wait)
  }
  throw busy(new Error('the lease is still held'))
}

const busy = (cause: unknown): Failure =>
  unavailable('The tokens of the connection are being renewed. Try again.', cause)

async function renew(ctx: Context, connector: KnownConnector, { connection, credential }: Renewed) {
  const { tokens } = credential
  const { rules } = connector
  const client = await findClient(ctx, connector)
  if (!tokens?.refresh_token || !rules || client?.client_id !== tokens.client_id) {
    await needsReauth(ctx, connection, REFRESH_FAILED)
    return undefined
  }
  const at = { rules: addressed(rules, credential.params, client.origin), client }
  try {
    return await stored(ctx, { connection, credential }, tokens, await refreshTokens(at, tokens.refresh_token))
  } catch (error) {
    // Any refusal: what no code says to be better later, repeating does not mend.
    if (error instanceof Refused) {
      await needsReauth(ctx, connection, { ...REFRESH_FAILED, said: error })
      return undefined
    }
    if (error instanceof Failure) throw error
    throw await released(ctx, connection, error)
  }
}

/**
 * Both tokens in one write. An answer without a refresh token keeps the old one. What the provider has issued must not be lost
 * because people begin an authorisation meanwhile, so it is stored beside what they changed.
 */
async function stored(
  ctx: Context,
  { connection, credential }: Renewed,
  tokens: Tokens,
  answer: Grant,
): Promise<Renewed> {
  const { access_token, refresh_token = tokens.refresh_token, expires_in } = answer
  const next: Credential = {
    ...credential,
    tokens: { ...tokens, access_token, ...(refresh_token !== undefined && { refresh_token }) },
  }
  const sealed = await sealCredential(ctx, connection.connector_id, next)
  const expires = expires_in === undefined ? {} : { expires_at: ctx.now() + expires_in * 1_000 }
  return retryWhenChanged(async () => {
    const was = await ctx.table.get(connections, connection)
    // Ended, or connected again: nobody asks for these tokens any more.
    if (was?.status !== 'active' || was.sealed !== connection.sealed)
      throw busy(new Error('the connection has changed'))
    const { refreshing_until: _, expires_at: __, ...rest } = was
    const renewed: Connection = { ...rest, ...expires, sealed }
    await ctx.table.commit([connections.replace(renewed, was)])
    return { connection: { ...renewed, _v: was._v + 1 }, credential: next }
  })
}

/** The next call need not wait for the lease to end. */
async function released(ctx: Context, connection: Stored<Connection>, cause: unknown): Promise<Failure> {
  const { refreshing_until: _, ...rest } = connection
  await turns.release(ctx, connection, rest).catch(() => undefined)
  return busy(cause)
}

type Held = Pick<Connection, 'tenant_id' | 'mode' | 'connector_id' | 'nango_id'>

/** The token that Nango holds. Undefined when it holds none any more, or not for this tenant: the row names its connection. */
async function nangoToken(of: Held, anew = false): Promise<string | undefined> {
  const account = await nangoAccount()
  const found = account && (await readConnection(account, of.nango_id ?? '', of.connector_id, { renew: anew }))
  const isTheirs = found?.tags?.['tenant_id'] === of.tenant_id && found.tags['mode'] === of.mode
  return isTheirs ? found.credentials.access_token : undefined
}

/** The same; when the provider has refused what Nango tried, people are asked to connect again. */
export async function tokenOfNango(ctx: Context, of: Stored<Connection>, anew: boolean): Promise<string | undefined> {
  try {
    return await nangoToken(of, anew)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    await needsReauth(ctx, of, { ...REFRESH_FAILED, said: error })
    return undefined
  }
}
