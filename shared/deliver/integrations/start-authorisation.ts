// Sends people to a provider: the address to open, and the state that brings them back.
import * as z from 'zod'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import { providerSecrets } from '../../base/providers/provider-secrets.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { optional } from '../../base/wire/fields.ts'
import { hashOf, newSecret } from '../../identity/access/one-time.ts'
import { type Connection, connections } from './connection.ts'
import { categories, connectors, connectorSettings, purpose } from './connector.ts'
import { findConnector, type KnownConnector } from './known-connector.ts'
import { addressed, clientOf, mustBeParams } from './oauth/client.ts'
import { type Authorisation, insertAuthorisation, LIFE_MS, newAuthorisation } from './oauth/authorisation.ts'
import { createSession, nangoAccount } from './oauth/nango.ts'
import { given } from '../../base/lib/json.ts'
import type { Write } from '../../base/table/entity.ts'

export const StartInput = z.strictObject({
  redirect_uri: optional(z.string().max(2_048)).describe('Where the provider sends the person afterwards.'),
  scopes: optional(z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, 'must be a scope')).max(50)).describe(
    'The scopes to ask for.',
  ),
  params: optional(z.record(z.string().max(64), z.string().max(256))).describe(
    'What the connector asks of the account, by name.',
  ),
  purpose: optional(purpose).describe('What the connection is for.'),
  data_categories: optional(categories).describe('What kinds of data the API holds.'),
})
export type StartInput = z.output<typeof StartInput>

/** Where a person comes back to when nothing else is asked for. */
const ownPage = (): string => `${env('APP_URL')}/console/connected`
const allowed = async (): Promise<string[]> => [ownPage(), ...(await providerSecrets()).redirect_uris]

/**
 * Stores an open authorisation, sealed, and returns the address to open. A connection that works keeps working until new tokens
 * are stored. Throws 409 when the connector takes no OAuth or nobody has set a client, 422 for an address or a param that is not
 * allowed. State and PKCE verifier are made here; the database holds only a hash of the state.
 */
export async function startAuthorisation(ctx: Context, connectorId: string, input: StartInput) {
  const connector = await findConnector(ctx, connectorId)
  if (!connector.rules) throw conflict(`${connector.name} takes a fixed credential. Send it to auth/complete.`)
  const { redirect_uri = ownPage(), params = {}, scopes = [...connector.scopes_required] } = input
  if (!(await allowed()).includes(redirect_uri))
    throw invalid(['redirect_uri'], 'is not an address that this service sends people to')
  mustBeParams(connector.provider, params)
  const { url, state, authorisation } = await begin(ctx, connector, { redirect_uri, params, scopes })
  await store(ctx, connector, authorisation, input)
  return { auth_url: url, state, expires_at: iso(authorisation.expires_at) }
}

type Asked = Pick<Authorisation, 'redirect_uri' | 'params' | 'scopes'>
type Begun = { url: string; state: string; authorisation: Authorisation }

/** Test mode asks nobody: people come straight back. */
async function begin(ctx: Context, connector: KnownConnector, asked: Asked): Promise<Begun> {
  if (ctx.space.mode === 'test') {
    const code = `sandbox_${ctx.id('x').slice(2)}`
    const made = newAuthorisation(ctx, connector, { ...asked, by: 'sandbox', code_hash: hashOf(code) })
    return { ...made, url: withQuery(asked.redirect_uri, { code, state: made.state }) }
  }
  const nango = connector.provider && !connector.settings?.client ? await nangoAccount() : undefined
  if (nango) {
    const made = newAuthorisation(ctx, connector, { ...asked, by: 'nango' })
    const { connector_id, state_hash } = made.authorisation
    const { tenant_id, mode } = ctx.space
    const { connect_link } = await createSession(nango, { tenant_id, mode, connector_id, state_hash })
    return { ...made, url: connect_link }
  }
  return direct(ctx, connector, asked)
}

async function direct(ctx: Context, connector: KnownConnector, asked: Asked): Promise<Begun> {
  const { rules } = connector
  const client = await clientOf(ctx, connector)
  if (!rules) throw new Error('a connector without rules is not authorised')
  const verifier = rules.pkce === false ? undefined : newSecret(ctx.random)
  const made = newAuthorisation(ctx, connector, { ...asked, by: 'direct', ...(verifier !== undefined && { verifier }) })
  const { authorization_url, scope_separator = ' ', authorize_params } = addressed(rules, asked.params, client.origin)
  const url = withQuery(authorization_url, {
    ...authorize_params,
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: asked.redirect_uri,
    state: made.state,
    ...(asked.scopes.length > 0 && { scope: asked.scopes.join(scope_separator) }),
    ...(verifier !== undefined && { code_challenge: hashOf(verifier), code_challenge_method: 'S256' }),
  })
  return { ...made, url }
}

function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

/** A connection that works keeps working until new tokens are stored. */
async function store(
  ctx: Context,
  connector: KnownConnector,
  authorisation: Authorisation,
  said: StartInput,
): Promise<void> {
  const { id, name } = connector
  const { writes, changes } = descriptionOf(ctx, connector, said)
  const was = await ctx.table.get(connections, { ...ctx.space, connector_id: id })
  const fresh: Connection = {
    ...ctx.space,
    id: ctx.id('con'),
    connector_id: id,
    status: 'disconnected',
    scopes_granted: [],
  }
  const next = { ...(was ?? fresh), authorizing_until: ctx.now() + LIFE_MS }
  const lost = conflict('Another request has changed this connection. Read it again, then repeat your change.')
  await ctx.table.commit(
    [
      await insertAuthorisation(ctx, authorisation),
      was ? connections.replace(next, was, lost) : connections.insert(next, lost),
      ...writes,
      ...changed(ctx, [
        {
          action: 'connection.started',
          artifact: 'integration.connection.started',
          subject: { type: 'connection', id: next.id, name },
          data: { connector_id: id, by: authorisation.by, scopes: authorisation.scopes.length },
        },
        ...changes,
      ]),
    ],
    next.id,
  )
}

type Said = { purpose?: string | undefined; data_categories?: string[] | undefined }

const LOST = conflict('Another request has changed this connector. Read it again, then repeat your change.')

/** Purpose and data categories, where they are given with the authorisation: for the commit that begins it. */
function descriptionOf(
  { space }: Context,
  connector: KnownConnector,
  said: Said,
): { writes: Write[]; changes: Change[] } {
  const { id, name, own, settings } = connector
  const fields = given({ purpose: said.purpose, data_categories: said.data_categories })
  if (Object.keys(fields).length === 0) return { writes: [], changes: [] }
  const next = { ...(settings ?? { ...space, connector_id: id }), ...fields }
  const write = own
    ? connectors.replace({ ...own, ...fields }, own, LOST)
    : settings
      ? connectorSettings.replace(next, settings, LOST)
      : connectorSettings.insert(next, LOST)
  const change: Change = {
    action: 'connector.updated',
    artifact: 'integration.connector.updated',
    subject: { type: 'connector', id, name },
    data: { changed_fields: Object.keys(fields) },
  }
  return { writes: [write], changes: [change] }
}
