// Creates a connector of a tenant's own API, and the parts of it that a later change makes again: document, client, evidence.
import * as z from 'zod'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { oneAtATime } from '../../base/tenant/retention.ts'
import { eitherOf, optional } from '../../base/wire/fields.ts'
import { isOfCatalogue } from './catalogue/ids.ts'
import { type Auth, type Connector, connectors, connectorsPartition } from './connector.ts'
import { type AuthInput, described, mustBeAuth, mustBeCallable, importReport } from './connector-input.ts'
import { fetchDocument, storeDocument } from './document-file.ts'
import { inboundParts } from './inbound-rules.ts'
import type { ImportReport } from './openapi/report.ts'
import { sealClient } from './oauth/client.ts'

export const CONNECTORS_MAX = 20

const { name, category, description, base_url, auth, openapi, openapi_url, ...more } = described

export const ConnectorInput = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9-]{1,39}$/, 'must match ^[a-z][a-z0-9-]{1,39}$')
      .describe('The id, which never changes.'),
    name: name.describe('A name for people.'),
    base_url: base_url.describe('The address of the API; every call is below it.'),
    auth: auth.describe('How the API wants to be authenticated.'),
    category: optional(category)
      .transform((given) => given ?? 'other')
      .describe('The category of the item.'),
    description: optional(description).describe('A description for people.'),
    openapi: optional(openapi).describe('The OpenAPI document (3.0, 3.1 or 3.2; JSON or YAML) as one string.'),
    openapi_url: optional(openapi_url).describe('The address of the OpenAPI document, instead of the document.'),
    scopes_required: more.scopes_required.default([]).describe('The OAuth scopes that are asked for.'),
    purpose: optional(more.purpose).describe('What the connection is for.'),
    data_categories: more.data_categories.default([]).describe('What kinds of data the API holds.'),
    inbound: more.inbound.default([]).describe('What messages of the provider request: the first rule that fits.'),
  })
  .refine((given) => (given.openapi === undefined) !== (given.openapi_url === undefined), {
    message: 'is needed, unless openapi_url is given; not both',
    path: ['openapi'],
  })
  .meta(eitherOf('openapi', 'openapi_url'))
export type ConnectorInput = z.output<typeof ConnectorInput>

const taken = (id: string) =>
  conflict(`The connector ${id} exists already. Choose another id.`, { code: 'already_exists' })

/**
 * Stores the connector and its document; nothing can be called before it is connected and its operations are published. Throws
 * 409 for an id that is taken and when there are 20, 422 for an address or document that cannot be used. Hash, size and number
 * of operations come from the document itself. The document is stored first: if the process dies then, an unused file is left.
 */
export async function createConnector(
  ctx: Context,
  given: ConnectorInput,
): Promise<{ id: string; report: ImportReport }> {
  const { openapi: _, openapi_url: __, auth: authInput, ...input } = given
  if (isOfCatalogue(input.id)) throw taken(input.id)
  await mustBeCallable(input.base_url)
  await mustBeAuth(authInput)
  const { text, ...document } = await documentIn(ctx, given)
  const report = await importReport(input, text, document.url === undefined ? 'openapi' : 'openapi_url')
  const connector: Connector = {
    ...ctx.space,
    ...input,
    ...(await authParts(ctx, input.id, authInput)),
    openapi: document,
    actions_count: report.converted,
    ...(await inboundParts(ctx, { id: input.id, own: true }, input.inbound)),
    created_at: iso(ctx.now()),
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
  }
  await storeDocument(connector, text)
  const traces = changed(ctx, [
    {
      action: 'connector.created',
      artifact: 'integration.connector.created',
      subject: { type: 'connector', id: connector.id, name: connector.name },
      data: addressedAs(connector),
    },
  ])
  await retryWhenChanged(async () => {
    const alone = await oneAtATime(ctx, 'connectors', new ChangedMeanwhile())
    await mustHaveRoom(ctx)
    await ctx.table.commit([alone, connectors.insert(connector, taken(input.id)), ...traces], connector.id)
  })
  return { id: connector.id, report }
}

/** What the evidence says about the address that a connector sends its credential to. */
export const addressedAs = ({ openapi: { sha256 }, base_url: base, auth: { type, token_url } }: Connector) => ({
  openapi_sha256: sha256,
  base_url_sha256: sha256Hex(base),
  auth: type,
  ...(token_url !== undefined && { token_url_sha256: sha256Hex(token_url) }),
})

async function mustHaveRoom({ table, space }: Context): Promise<void> {
  const { total } = await table.count({ pk: connectorsPartition(space) })
  if (total >= CONNECTORS_MAX) throw conflict(`You have ${CONNECTORS_MAX} connectors of your own already.`)
}

/** The secret of the client is sealed and never shown. */
export async function authParts(ctx: Context, id: string, { client_secret, ...shown }: AuthInput) {
  const clean: Auth = shown
  return {
    auth: clean,
    ...(client_secret !== undefined && {
      client: await sealClient(ctx, { id, auth: clean, own: true }, client_secret),
    }),
  }
}

type GivenDocument = { openapi?: string | undefined; openapi_url?: string | undefined }

/** The text of the request, or of the address in it. */
export async function documentIn(ctx: Context, { openapi: given, openapi_url: url }: GivenDocument) {
  const text = given ?? (await fetchDocument(url ?? ''))
  const size = { sha256: sha256Hex(text), bytes: Buffer.byteLength(text) }
  return { text, ...size, ...(url !== undefined && { url, fetched_at: iso(ctx.now()) }) }
}
