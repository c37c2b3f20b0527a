import * as z from 'zod'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import { refusalOfTarget } from '../../base/lib/safe-http.ts'
import { optional, plainText } from '../../base/wire/fields.ts'
import { isChosenByPayload } from '../../govern/manifests/own-headers.ts'
import { AUTH_TYPES, type Connector, connectors, connectorsPartition } from './connector.ts'
import { storeDocument } from './document-file.ts'
import { convert } from './openapi/convert.ts'
import { readDocument, UnusableDocument } from './openapi/read-document.ts'

const CONNECTORS_MAX = 20
const HEADER_NAME = /^[A-Za-z0-9-]{1,128}$/

export const ConnectorInput = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{1,39}$/, 'must match ^[a-z][a-z0-9-]{1,39}$'),
  name: plainText(80),
  category: optional(plainText(64)).transform((given) => given ?? 'other'),
  description: optional(plainText(2_000)),
  base_url: z.string().max(2_048),
  auth: z.strictObject({
    type: z.enum(AUTH_TYPES),
    header: optional(
      z.string().regex(HEADER_NAME, 'must be a header name').refine(isChosenByPayload, 'is set by the service'),
    ),
  }),
  openapi: z.string().min(1),
  purpose: optional(plainText(500)),
  data_categories: z.array(plainText(64)).max(20).default([]),
})
export type ConnectorInput = z.output<typeof ConnectorInput>

/** Throws 409 for an id that is taken and when there are 20, 422 for an address or document that cannot be used. */
export async function createConnector(ctx: Context, { openapi: text, ...input }: ConnectorInput): Promise<Connector> {
  await mustBeCallable(input)
  const actions_count = await operationsIn(input.id, text)
  const all = await ctx.table.query(connectors, { pk: connectorsPartition(ctx.space) })
  if (all.length >= CONNECTORS_MAX) throw conflict(`You have ${CONNECTORS_MAX} connectors of your own already.`)
  const connector: Connector = {
    ...ctx.space,
    ...input,
    openapi: { sha256: sha256Hex(text), bytes: Buffer.byteLength(text) },
    actions_count,
    created_at: iso(ctx.now()),
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
  }
  await storeDocument(connector, text)
  const taken = conflict(`The connector ${input.id} exists already. Choose another id.`, { code: 'already_exists' })
  const { id, name, openapi, base_url } = connector
  const traces = changed(ctx, [
    {
      action: 'connector.created',
      artifact: 'integration.connector.created',
      subject: { type: 'connector', id, name },
      data: { openapi_sha256: openapi.sha256, base_url_sha256: sha256Hex(base_url), auth: connector.auth.type },
    },
  ])
  await ctx.table.commit([connectors.insert(connector, taken), ...traces], id)
  return connector
}

async function mustBeCallable({ base_url, auth }: Pick<ConnectorInput, 'base_url' | 'auth'>): Promise<void> {
  const url = URL.parse(base_url)
  const refusal =
    url && (url.search || url.hash) ? 'must have no query and no fragment' : await refusalOfTarget(base_url)
  if (refusal) throw invalid(['base_url'], refusal)
  if (auth.type === 'api_key' && auth.header === undefined)
    throw invalid(['auth', 'header'], 'is needed for an API key', 'missing')
  if (auth.type !== 'api_key' && auth.header !== undefined) throw invalid(['auth', 'header'], `is not for ${auth.type}`)
}

async function operationsIn(id: string, text: string): Promise<number> {
  try {
    return convert(await readDocument(text), id).operations.length
  } catch (error) {
    if (error instanceof UnusableDocument) throw invalid(['openapi'], error.message)
    throw error
  }
}
