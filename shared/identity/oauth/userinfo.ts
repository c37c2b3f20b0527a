// Claims about the person of an access token (OpenID Connect Core, section 5.3). The library's own userinfo endpoint is not
// used, because it refuses tokens that have an audience.
import * as z from 'zod'
import { allowsAddress } from '../access/allowlist.ts'
import { openTable } from '../../base/context.ts'
import { HttpResponse, type Call } from '../../base/wire/call.ts'
import { bodyKind } from '../../base/wire/media-type.ts'
import { readBody, type RestEvent } from '../../base/wire/rest-event.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { type Bearer, bearerOf, readAccessToken } from './access-token.ts'
import { claimsOf } from './account.ts'
import { originOf } from '../../base/lib/redirect-uri.ts'
import type { OAuthResponse } from './serve.ts'

/** `name` needs the scope profile, `email` the scope email. */
export const UserInfo = z.object({
  sub: z.string().describe('The subject of the token.'),
  tenant_id: z.string().describe('Id of the tenant.'),
  roles: z.array(z.string()).describe('Roles, by name.'),
  name: z.string().optional().describe('A name for people.'),
  email: z.string().nullable().optional().describe('The e-mail address.'),
  email_verified: z.boolean().optional().describe('Whether the owner confirmed the address.'),
})

/** Reads the account at each request, so a suspended person gets 401 (RFC 6750, section 3.1). */
export async function userinfo(call: Call, event: RestEvent): Promise<OAuthResponse> {
  const [token, ...others] = tokensIn(call, event)
  if (others.length > 0) return errorResponse(400, 'invalid_request')
  if (token === undefined) return errorResponse(401)
  const table = openTable()
  const claims = await readAccessToken(token, table.clock.now())
  const bearer = claims && (await bearerOf(table, claims))
  const tenant = bearer && (await tenantOf(table, bearer.client.tenant_id))
  if (!claims || !bearer || tenant?.status !== 'active') return errorResponse(401, 'invalid_token')
  if (!allowsAddress(tenant, call.ip)) return errorResponse(403, 'access_denied')
  if (!bearer.person || !claims.scope.split(' ').includes('openid'))
    return errorResponse(403, 'insufficient_scope', 'openid')
  return {
    response: new HttpResponse(200, claimsOf(bearer.person.user, claims.scope), { headers: readableFor(call, bearer) }),
  }
}

/** The tokens of a request: in the header or in a posted form (RFC 6750, section 2). */
function tokensIn({ headers }: Call, event: RestEvent): string[] {
  const inHeader = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const isForm = event.httpMethod === 'POST' && bodyKind(headers['content-type']) === 'form'
  const inBody = isForm ? new URLSearchParams(readBody(event).toString('utf8')).getAll('access_token') : []
  return [...(inHeader === undefined ? [] : [inHeader]), ...inBody]
}

function errorResponse(status: number, error?: string, scope?: string): OAuthResponse {
  const facts = [error && `error="${error}"`, scope && `scope="${scope}"`].filter(Boolean)
  const challenge = ['Bearer realm="countersign"', ...facts].join(', ')
  return {
    response: new HttpResponse(
      status,
      { error: error ?? 'invalid_request' },
      { headers: { 'WWW-Authenticate': challenge } },
    ),
  }
}

/** Only origins that may receive the client's codes may read the response in a browser. */
function readableFor({ headers }: Call, { client }: Bearer): Record<string, string> {
  const { origin } = headers
  if (origin === undefined || !client.redirect_uris.some((uri) => originOf(uri) === origin)) return {}
  return { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' }
}
