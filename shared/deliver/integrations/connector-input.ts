// The members of requests that describe a tenant's own API, and their checks.
import * as z from 'zod'
import { env } from '../../base/lib/runtime.ts'
import { invalid } from '../../base/lib/failure.ts'
import { isLoopback } from '../../base/lib/redirect-uri.ts'
import { refusalOfTarget } from '../../base/lib/safe-http.ts'
import { displayName, optional, plainText } from '../../base/wire/fields.ts'
import { isChosenByPayload } from '../../govern/manifests/connection-target.ts'
import { AUTH_TYPES, categories, Inbound, purpose } from './connector.ts'
import { type ImportReport, reportOf } from './openapi/report.ts'
import { UnusableDocument } from './openapi/unusable.ts'

const HEADER_NAME = /^[A-Za-z0-9-]{1,128}$/
const address = z.string().max(2_048)
const SCOPE = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, 'must be a scope')

export const clientId = z.string().regex(/^[\x20-\x7e]{1,512}$/, 'must be printable ASCII')
export const scopes = z.array(SCOPE).max(50)
export const inbound = z.array(Inbound).max(10)

const AuthInput = z.strictObject({
  type: z
    .enum(AUTH_TYPES)
    .describe('`none`, a bearer token, Basic authentication, an API key in a header, or OAuth 2.0.'),
  header: optional(
    z.string().regex(HEADER_NAME, 'must be a header name').refine(isChosenByPayload, 'is set by the service'),
  ).describe('The header that the key is sent in.'),
  authorization_url: optional(address).describe('Where a person agrees.'),
  token_url: optional(address).describe('Where codes and refresh tokens become tokens.'),
  revoke_url: optional(address).describe('Where tokens are revoked (RFC 7009).'),
  client_id: optional(clientId).describe('Id of the OAuth client.'),
  client_secret: optional(clientId).describe('The secret of the client. It is shown only once.'),
})
type GivenAuth = z.output<typeof AuthInput>
export type AuthInput = Pick<GivenAuth, 'type'> & Partial<Omit<GivenAuth, 'type'>>

export const described = {
  name: displayName(80),
  category: plainText(64),
  description: plainText(2_000),
  base_url: address,
  auth: AuthInput,
  openapi: z.string().min(1),
  openapi_url: address,
  scopes_required: scopes,
  purpose,
  data_categories: categories,
  inbound,
}

/** Throws 422. */
export async function mustBeCallable(base_url: string): Promise<void> {
  const url = URL.parse(base_url)
  const refusal =
    url && (url.search || url.hash) ? 'must have no query and no fragment' : await refusalOfTarget(base_url)
  if (refusal) throw invalid(['base_url'], refusal)
}

const OF_TYPE: Record<
  AuthInput['type'],
  { needed: readonly (keyof AuthInput)[]; more?: readonly (keyof AuthInput)[] }
> = {
  none: { needed: [] },
  bearer: { needed: [] },
  basic: { needed: [] },
  api_key: { needed: ['header'] },
  oauth2: { needed: ['authorization_url', 'token_url', 'client_id', 'client_secret'], more: ['revoke_url'] },
}

/** Throws 422 for members that are missing, or are not those of the type, and for addresses that may not be called. */
export async function mustBeAuth(auth: AuthInput): Promise<void> {
  const { needed, more = [] } = OF_TYPE[auth.type]
  for (const name of needed)
    if (auth[name] === undefined) throw invalid(['auth', name], `is needed for ${auth.type}`, 'missing')
  for (const name of Object.keys(auth))
    if (name !== 'type' && ![...needed, ...more].some((one) => one === name))
      throw invalid(['auth', name], `is not for ${auth.type}`)
  for (const name of ['token_url', 'revoke_url'] as const) {
    const refusal = auth[name] !== undefined && (await refusalOfTarget(auth[name]))
    if (refusal) throw invalid(['auth', name], refusal)
  }
  mustBePage(auth.authorization_url)
}

/** People open it in their browser. On a developer's machine it may be an http URL of that machine. */
function mustBePage(text: string | undefined): void {
  if (text === undefined) return
  const url = URL.parse(text)
  const isLocal = url !== null && isLoopback(url) && env('BASE_URL').startsWith('http:')
  if (url?.protocol !== 'https:' && !isLocal) throw invalid(['auth', 'authorization_url'], 'must be an https URL')
}

/** What a document would become. Throws 422 for one that cannot be used. */
export async function importReport(
  { id, base_url }: { id: string; base_url: string },
  text: string,
  member: 'openapi' | 'openapi_url',
): Promise<ImportReport> {
  const [{ convert }, { readDocument }] = await Promise.all([
    import('./openapi/convert.ts'), // loaded with the first document
    import('./openapi/read-document.ts'),
  ])
  try {
    return reportOf(convert(await readDocument(text), id, base_url))
  } catch (error) {
    if (error instanceof UnusableDocument) throw invalid([member], error.message)
    throw error
  }
}
