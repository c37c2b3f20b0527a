// Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document): the id of a client is the https address of a document
// that says its name and redirect URIs. Only these are taken: nothing in a document gives the client rights. Such a client exists in
// the tenant whose tools it asks for. The tenant stores it when the first person agrees, lists it, and can disable it.
import type { Payload } from 'oidc-provider'
import { type Context, openTable } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { tenantOf } from '../../../base/tenant/find.ts'
import { storedId } from '../../artefacts/artefact.ts'
import { findClient, type OAuthClient } from './client.ts'
import { metadataOf, NAME_MAX } from './client-metadata.ts'
import { currentRequest } from '../current-request.ts'
import { mayConnect } from './may-act.ts'
import { tenantOfTools } from '../resources.ts'
import { OAUTH_SCOPES } from '../scopes.ts'
import * as z from 'zod'
import { key } from '../../../base/table/entity.ts'
import { documentFigures } from '../../../base/limits/plans.ts'
import { takeOne } from '../../../base/limits/window.ts'
import { memory } from '../../../base/lib/memory.ts'
import { cleanName } from '../../../base/lib/names.ts'
import { isAppWithLoopbackTls, clientRedirectUriProblem } from '../../../base/lib/redirect-uri.ts'
import { outbound } from '../../../base/lib/safe-http.ts'
import type { Table } from '../../../base/table/table.ts'

/** The metadata of a client that a URL names; undefined when the tenant that the request names does not let it connect. */
export async function documentMetadata(url: string, resource: string | undefined): Promise<Payload | undefined> {
  const tenant_id = tenantOfTools(resource)
  if (tenant_id === undefined) return undefined
  const table = openTable()
  const [tenant, stored] = await Promise.all([
    tenantOf(table, tenant_id).catch(() => undefined), // the caller learns nothing about which tenants exist
    findClient(table, storedId(url, tenant_id)),
  ])
  if (!tenant || !mayConnect(tenant, url) || stored?.status === 'disabled') return undefined
  const document = await documentAt(table, url, currentRequest().call.ip)
  return document && { ...metadataOf(described(tenant_id, url, document, iso(table.clock.now())), undefined) }
}

/** The client as the tenant of the context stores it, when `by` is the first person to agree. */
export async function documentClient(ctx: Context, url: string, by: string): Promise<OAuthClient | undefined> {
  const document = await documentAt(ctx.table, url, currentRequest().call.ip)
  const { tenant_id } = ctx.space
  return (
    document && {
      ...described(tenant_id, url, document, iso(ctx.now())),
      client_id: storedId(url, tenant_id),
      created_by: by,
    }
  )
}

/** It acts for people only, after their consent. It belongs to the tenant, and stays when the first to agree is removed. */
const described = (tenant_id: string, url: string, document: ClientDocument, at: string): OAuthClient => ({
  ...document,
  client_id: url,
  document: url,
  tenant_id,
  mode: 'live',
  type: 'public',
  post_logout_redirect_uris: [],
  backchannel_logout_uri: null,
  backchannel_logout_session_required: false,
  grant_types: ['authorization_code', 'refresh_token'],
  scopes: [...OAUTH_SCOPES],
  token_endpoint_auth_method: 'none',
  skip_consent: false,
  status: 'active',
  source: 'document',
  service: true,
  cap: [],
  created_by: '',
  seen_by: [],
  created_at: at,
  updated_at: at,
})

const DEADLINE_MS = 3_000
const BYTES_MAX = 10_240
const FRESH_MIN_S = 60
const FRESH_MAX_S = 3_600

type ClientDocument = { name: string; redirect_uris: string[] }

/** Members beside these are not looked at, so a document cannot claim what the service itself says of its clients. */
const Document = z.object({
  client_id: z.string(),
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string().max(2_048)).min(1).max(20),
  token_endpoint_auth_method: z.literal('none').default('none'),
  client_secret: z.undefined().optional(),
})

/** Undefined for anything but a sound document about this very client. */
export function readDocument(url: string, text: string): ClientDocument | undefined {
  const { data } = Document.safeParse(parsed(text))
  if (data?.client_id !== url) return undefined
  const { client_name = '', redirect_uris } = data
  if (redirect_uris.some((uri) => clientRedirectUriProblem(uri) !== undefined)) return undefined
  if (isAppWithLoopbackTls(redirect_uris)) return undefined
  return { name: cleanName(client_name, NAME_MAX) || new URL(url).host, redirect_uris }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Failures are remembered, too, so that asking again and again calls nobody. */
const documents = memory<{ document: ClientDocument | undefined; until: number }>(1_000)

/** The document at a URL; undefined when it cannot be read. `ip`: the caller's address, which may cause ten calls a minute. */
async function documentAt(table: Table, url: string, ip: string): Promise<ClientDocument | undefined> {
  const now = table.clock.now()
  const known = documents.get(url)
  if (known && known.until > now) return known.document
  const { retryAfterSeconds } = await takeOne(table, key('RL', 'document', ip || 'unknown'), documentFigures())
  if (retryAfterSeconds) return undefined
  const headers = { accept: 'application/json', 'user-agent': 'Countersign/1.0' }
  const answer = await outbound({ url, method: 'GET', headers, deadlineMs: DEADLINE_MS, answerBytesMax: BYTES_MAX })
  const whole = answer.kind === 'answer' && answer.status === 200 && answer.body_end === 'whole'
  const document = whole ? readDocument(url, answer.body.toString()) : undefined
  const seconds = whole ? freshSeconds(answer.headers['cache-control']) : FRESH_MIN_S
  documents.set(url, { document, until: now + seconds * 1_000 })
  return document
}

function freshSeconds(cacheControl = ''): number {
  const seconds = Number(/(?:^|,)\s*max-age=(\d+)/i.exec(cacheControl)?.[1] ?? FRESH_MIN_S)
  return Math.min(Math.max(seconds, FRESH_MIN_S), FRESH_MAX_S)
}
