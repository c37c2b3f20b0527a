// Brings people back from a provider: their code becomes tokens, or Nango's connection becomes this one.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { conflict, Failure, invalid, malformed, unavailable } from '../../base/lib/failure.ts'
import { eitherOf, optional } from '../../base/wire/fields.ts'
import { hashOf } from '../../identity/access/one-time.ts'
import { accountIn, type Answer, baseUrlOf, siteOf } from './account.ts'
import { type Connection, connections } from './connection.ts'
import { bindingOf, Credentials, mustFit, type NewCredential } from './credential.ts'
import { findConnector, type KnownConnector } from './known-connector.ts'
import { addressed, clientOf, type OAuthClient } from './oauth/client.ts'
import { type Authorisation, findAuthorisation, takeAuthorisation } from './oauth/authorisation.ts'
import { Refused, scopesIn } from './oauth/conformed.ts'
import { nangoAccount, readConnection } from './oauth/nango.ts'
import type { CodeGrant } from './oauth/token-endpoint.ts'
import { type Connected, storeConnection } from './store-connection.ts'
import { changed } from '../../ledger/audit/changed.ts'

const text = z.string().min(1).max(4_096)

export const CompleteInput = z
  .strictObject({
    code: optional(text).describe('The code that the provider sent the person back with.'),
    state: optional(text).describe('As it came back, or as auth/start gave it.'),
    iss: optional(text).describe('The issuer of the token.'),
    /** Of the provider's answer (RFC 6749 §4.1.2.1). */
    error: optional(text).describe('The cause of the error.'),
    connection_id: optional(text).describe('Id of the connection.'),
    credentials: optional(Credentials).describe(
      'What the API takes: `token`, `username` and `password`, `key`, or nothing.',
    ),
  })
  .refine(
    ({ state, code, error, connection_id, credentials }) =>
      [credentials, code, error, connection_id].filter((one) => one !== undefined).length === 1 &&
      (credentials === undefined) === (state !== undefined),
    'must hold credentials, or state with one of code, error and connection_id',
  )
  .meta(eitherOf('credentials', 'code', 'error', 'connection_id'))
export type CompleteInput = z.output<typeof CompleteInput>

/** `repeated`: a message of Nango had reported this connection before. */
export type Completed = { connection: Connection; repeated: boolean }

/**
 * Stores the connection that the tokens, the fixed credential or Nango's connection make. Throws 400 for a state that is not the
 * caller's and for an authorisation that the provider refused, 409 for another account than before, 422 for members that do not
 * fit the connector. Account and granted scopes come from the provider, never from the caller. The state is used up before the
 * provider is asked: if the process dies after that, people start again, and a second caller with the same state gets the 400.
 */
export async function completeAuthorisation(ctx: Context, id: string, input: CompleteInput): Promise<Completed> {
  const connector = await findConnector(ctx, id)
  if (input.credentials)
    return { connection: await withCredentials(ctx, connector, input.credentials), repeated: false }
  const known = input.connection_id === undefined ? undefined : await alreadyConnected(ctx, id, input.connection_id)
  if (known) return { connection: known, repeated: true }
  const authorisation = await findAuthorisation(ctx, connector, input.state ?? '')
  mustBeOf(authorisation, input)
  // Taken before the provider is asked: the same answer never redeems twice.
  await ctx.table.commit([takeAuthorisation(authorisation)])
  if (input.error !== undefined) return refused(ctx, connector, input.error)
  const connected = await connectedBy(ctx, connector, authorisation, input)
  return { connection: await storeConnection(ctx, connector, connected), repeated: false }
}

/** The message of Nango about the connection may arrive before the person comes back. */
async function alreadyConnected(ctx: Context, connector_id: string, nango_id: string): Promise<Connection | undefined> {
  const found = await ctx.table.get(connections, { ...ctx.space, connector_id })
  return found?.status === 'active' && found.nango_id === nango_id ? found : undefined
}

async function withCredentials(ctx: Context, connector: KnownConnector, credentials: Credentials): Promise<Connection> {
  if (connector.rules) throw invalid(['credentials'], `is not for ${connector.name}, which is connected by OAuth`)
  mustFit(connector.auth, credentials)
  const { base_url } = connector
  return storeConnection(ctx, connector, {
    credential: { bound_to: bindingOf(connector), base_url, params: {}, credentials },
  })
}

/** A sandbox takes its own code only; Nango's sessions end with a connection of Nango. */
function mustBeOf({ by, code_hash }: Authorisation, { code, error, connection_id }: CompleteInput): void {
  if ((by === 'nango') !== (connection_id !== undefined) && error === undefined)
    throw invalid([by === 'nango' ? 'connection_id' : 'code'], 'is needed for this authorisation', 'missing')
  if (by === 'sandbox' && code !== undefined && hashOf(code) !== code_hash)
    throw malformed('The code is not the one of this authorisation. Start again.', { code: 'provider_refused' })
}

function connectedBy(ctx: Context, connector: KnownConnector, authorisation: Authorisation, input: CompleteInput) {
  if (authorisation.by === 'sandbox') return sandbox(connector, authorisation)
  if (authorisation.by === 'nango') return byNango(ctx, connector, authorisation, input.connection_id ?? '')
  return byCode(ctx, connector, authorisation, input)
}

function sandbox(connector: KnownConnector, { scopes, params }: Authorisation): Connected {
  const base_url = connector.base_url
  const tokens = { access_token: 'sandbox', client_id: 'sandbox' }
  return { credential: { bound_to: bindingOf(connector), base_url, params, tokens }, scopes_granted: scopes }
}

async function byNango(
  ctx: Context,
  connector: KnownConnector,
  of: Authorisation,
  nango_id: string,
): Promise<Connected> {
  const account = await nangoAccount()
  const found = account && (await readConnection(account, nango_id, connector.id).catch(whenRefused(ctx, connector)))
  // A caller with a state of this tenant must not take the connection of another tenant.
  if (found?.tags?.['state_hash'] !== of.state_hash)
    throw malformed('There is no such connection for this authorisation. Start again.', { code: 'invalid_state' })
  return nangoConnected(connector, of, nango_id)
}

/** Nango keeps the tokens; the row keeps its id. */
export function nangoConnected(
  connector: KnownConnector,
  { params, scopes }: Authorisation,
  nango_id: string,
): Connected {
  const base_url = baseUrlOf(connector, { params, answer: {} })
  return { credential: { bound_to: bindingOf(connector), base_url, params }, scopes_granted: scopes, nango_id }
}

async function byCode(
  ctx: Context,
  connector: KnownConnector,
  { scopes, params, redirect_uri, verifier }: Authorisation,
  { code = '', state = '', iss }: CompleteInput,
): Promise<Connected> {
  const client = await clientOf(ctx, connector)
  const answer = await redeemed(ctx, connector, { client, params }, { redirect_uri, code, state, iss, verifier })
  const { access_token, refresh_token, expires_in, scope } = answer
  const site = await siteOf(connector, { access_token, params, origin: client.origin })
  const known = { ...params, ...site }
  const credential: NewCredential = {
    bound_to: bindingOf(connector),
    base_url: baseUrlOf(connector, { params: known, answer, origin: client.origin }),
    params: known,
    tokens: { access_token, client_id: client.client_id, ...(refresh_token !== undefined && { refresh_token }) },
  }
  const account = accountIn(connector, answer)
  return {
    credential,
    scopes_granted: scopesIn(scope, scopes),
    ...(account && { account }),
    ...(expires_in !== undefined && { expires_at: ctx.now() + expires_in * 1_000 }),
  }
}

type For = { client: OAuthClient; params: Authorisation['params'] }

async function redeemed(
  ctx: Context,
  connector: KnownConnector,
  { client, params }: For,
  grant: CodeGrant,
): Promise<Answer> {
  const { rules } = connector
  if (!rules) throw new Error('a connector without rules is not authorised')
  const { redeemCode } = await import('./oauth/token-endpoint.ts')
  try {
    return await redeemCode({ rules: addressed(rules, params, client.origin), client }, grant)
  } catch (error) {
    if (error instanceof Refused) return refused(ctx, connector, error.code)
    throw unavailable(`${connector.name} does not answer. Start again.`, error)
  }
}

const whenRefused = (ctx: Context, connector: KnownConnector) => (error: unknown) => {
  if (error instanceof Refused) return refused(ctx, connector, error.code)
  throw error
}

/** Notes the refusal and throws it as a 400. */
async function refused(ctx: Context, connector: KnownConnector, said: string): Promise<never> {
  const error_code = await noteRefusal(ctx, connector, said)
  throw new Failure('malformed', `${connector.name} refuses: ${error_code}. Start again.`, {
    code: 'provider_refused',
    members: { provider_error: error_code },
  })
}

const PROVIDER_CODE = /^[\w .-]{1,100}$/

/**
 * Records that the provider, or the person who was asked, refused. A connection that works stays as it is. Returns the code that
 * is shown.
 */
export async function noteRefusal(ctx: Context, connector: KnownConnector, said: string): Promise<string> {
  const error_code = PROVIDER_CODE.test(said) ? said : 'refused'
  const was = await ctx.table.get(connections, { ...ctx.space, connector_id: connector.id })
  if (!was) return error_code
  const { authorizing_until: _, ...rest } = was
  const works = was.status === 'active' || was.status === 'needs_reauth'
  const next: Connection = works ? rest : { ...rest, status: 'error', error_code }
  const lost = conflict('Another request has changed this connection. Start again.')
  const traces = changed(ctx, [
    {
      action: 'connection.refused',
      artifact: 'integration.connection.error',
      subject: { type: 'connection', id: was.id, name: connector.name },
      data: { connector_id: connector.id, error_code },
    },
  ])
  await ctx.table.commit([connections.replace(next, was, lost), ...traces], was.id)
  return error_code
}
