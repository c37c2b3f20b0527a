// Changes a connector: anything of the tenant's own, and of the catalogue what a tenant may set.
import * as z from 'zod'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { given } from '../../base/lib/json.ts'
import type { Stored } from '../../base/table/entity.ts'
import { optional } from '../../base/wire/fields.ts'
import { connections } from './connection.ts'
import { type Connector, connectors, connectorSettings, type Settings } from './connector.ts'
import { type AuthInput, clientId, described, mustBeAuth, mustBeCallable, importReport } from './connector-input.ts'
import { addressedAs, authParts, documentIn } from './create-connector.ts'
import { deleteDocument, storeDocument } from './document-file.ts'
import { inboundParts } from './inbound-rules.ts'
import { findConnector, type KnownConnector } from './known-connector.ts'
import type { ImportReport } from './openapi/report.ts'
import { sealClient } from './oauth/client.ts'

export const ConnectorChange = z.strictObject({
  name: optional(described.name).describe('A name for people.'),
  category: optional(described.category).describe('The category of the item.'),
  description: optional(described.description).describe('A description for people.'),
  base_url: optional(described.base_url).describe('The address of the API; every call is below it.'),
  auth: optional(described.auth).describe('How the API wants to be authenticated.'),
  openapi: optional(described.openapi).describe('Another OpenAPI document, as one string.'),
  openapi_url: optional(described.openapi_url).describe(
    'The address of the OpenAPI document, instead of the document.',
  ),
  /** Null: of the catalogue, the operator's again. */
  client_id: clientId.nullish().describe('Id of the OAuth client.'),
  client_secret: optional(clientId).describe('The secret of the client. It is shown only once.'),
  scopes_required: optional(described.scopes_required).describe('The OAuth scopes that are asked for.'),
  purpose: optional(described.purpose).describe('What the connection is for.'),
  data_categories: optional(described.data_categories).describe('What kinds of data the API holds.'),
  inbound: optional(described.inbound).describe('What messages of the provider request: the first rule that fits.'),
})
export type ConnectorChange = Partial<z.output<typeof ConnectorChange>>

const OF_CATALOGUE = ['client_id', 'client_secret', 'scopes_required', 'purpose', 'data_categories', 'inbound']
const LOST = conflict('Another request has changed this connector. Read it again, then repeat your change.')

type Report = ImportReport | undefined

/**
 * Throws 409 for a change of where the credential goes while it is connected, 422 for what cannot be changed or used.
 * A document has no effect on actions until it is published. The answer is what became of a document that was given.
 */
export async function updateConnector(ctx: Context, id: string, change: ConnectorChange): Promise<Report> {
  const connector = await findConnector(ctx, id)
  const { own } = connector
  if (own) return updateOwn(ctx, own, change)
  for (const name of Object.keys(change))
    if (!OF_CATALOGUE.includes(name)) throw invalid([name], `is part of the catalogue`)
  await updateSettings(ctx, connector, change)
  return undefined
}

async function mustNotBeConnected(ctx: Context, connector_id: string): Promise<void> {
  const connection = await ctx.table.get(connections, { ...ctx.space, connector_id })
  if (connection?.status === 'active' || connection?.status === 'needs_reauth')
    throw conflict('This connector is connected. Disconnect it before you change where its credential goes.')
}

async function updateOwn(ctx: Context, was: Stored<Connector>, change: ConnectorChange): Promise<Report> {
  const { openapi, openapi_url, auth, client_id, client_secret, inbound, ...plain } = change
  if (client_id === null) throw invalid(['client_id'], 'cannot be taken away: nobody else has set a client')
  const authInput = authOf(was, { auth, client_id, client_secret })
  const moves = change.base_url !== undefined || auth !== undefined || client_id !== undefined
  if (moves) await mustNotBeConnected(ctx, was.id)
  if (change.base_url !== undefined) await mustBeCallable(change.base_url)
  if (authInput) await mustBeAuth(authInput)
  const document =
    openapi === undefined && openapi_url === undefined ? undefined : await documentIn(ctx, { openapi, openapi_url })
  const report =
    document &&
    (await importReport({ ...was, ...given(plain) }, document.text, openapi === undefined ? 'openapi_url' : 'openapi'))
  const { text, ...stored } = document ?? { text: '', ...was.openapi }
  const { client: _, ...kept } = was
  const next: Connector = {
    ...(authInput ? kept : was),
    ...given(plain),
    ...(inbound && (await inboundParts(ctx, { id: was.id, own: true }, inbound))),
    ...(authInput && (await authParts(ctx, was.id, authInput))),
    openapi: stored,
    actions_count: report?.converted ?? was.actions_count,
  }
  if (document) await storeDocument(next, text)
  await ctx.table.commit(
    [
      connectors.replace(next, was, LOST),
      ...updatedTraces(ctx, next.id, next.name, { fields: Object.keys(given(change)), ...addressedAs(next) }),
    ],
    next.id,
  )
  if (document && was.openapi.sha256 !== stored.sha256) await deleteDocument(was)
  return report
}

type Client = Pick<ConnectorChange, 'auth' | 'client_secret'> & { client_id?: string | undefined }

/** A secret alone replaces the one of the client; another client needs its own secret. */
function authOf({ auth: was }: Connector, { auth, client_id, client_secret }: Client): AuthInput | undefined {
  if (auth) return { ...auth, ...given({ client_id, client_secret }) }
  if (client_id === undefined && client_secret === undefined) return undefined
  if (client_secret === undefined) throw invalid(['client_secret'], 'is needed for another client', 'missing')
  return { ...was, ...given({ client_id }), client_secret }
}

async function updateSettings(ctx: Context, connector: KnownConnector, change: ConnectorChange): Promise<void> {
  const { id, name, settings: was, auth } = connector
  const { client_secret, scopes_required, purpose, data_categories, inbound } = change
  const client_id = change.client_id === undefined ? was?.client_id : (change.client_id ?? undefined)
  if (client_id !== was?.client_id) {
    await mustNotBeConnected(ctx, id)
    if (client_id !== undefined && client_secret === undefined)
      throw invalid(['client_secret'], 'is needed for another client', 'missing')
  }
  if (client_secret !== undefined && client_id === undefined)
    throw invalid(['client_id'], 'is needed for a secret', 'missing')
  const next: Settings = {
    ...(was ?? { ...ctx.space, connector_id: id }),
    ...given({ scopes_required, purpose, data_categories }),
    ...(inbound && (await inboundParts(ctx, { id, own: false }, inbound))),
    client_id,
    ...(client_id === undefined && { client: undefined }),
    ...(client_secret !== undefined && {
      client: await sealClient(ctx, { id, auth: { ...auth, client_id }, own: false }, client_secret),
    }),
  }
  const write = was ? connectorSettings.replace(next, was, LOST) : connectorSettings.insert(next, LOST)
  await ctx.table.commit([write, ...updatedTraces(ctx, id, name, { fields: Object.keys(given(change)) })], id)
}

const updatedTraces = (
  ctx: Context,
  id: string,
  name: string,
  { fields, ...data }: { fields: string[] } & Record<string, string | string[]>,
) =>
  changed(ctx, [
    {
      action: 'connector.updated',
      artifact: 'integration.connector.updated',
      subject: { type: 'connector', id, name },
      data: { changed_fields: fields, ...data },
    },
  ])
