// A client that a metadata document describes, inside the tenant whose tools it asks for. The tenant stores it when the first
// person agrees, lists it among its clients, and can disable it there.
import type { Payload } from 'oidc-provider'
import { type Context, openTable } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { storedId } from '../artefacts/client-id.ts'
import { type OAuthClient, findClient } from './client.ts'
import { metadataOf } from './client-metadata.ts'
import { currentRequest } from './current-request.ts'
import { type ClientDocument, documentAt } from './document.ts'
import { mayConnect } from './may-connect.ts'
import { tenantOfTools } from './resources.ts'
import { OAUTH_SCOPES } from './scopes.ts'

/** The metadata of a client that a URL names; undefined when the tenant that the request names does not let it connect. */
export async function documentMetadata(url: string, resource: string | undefined): Promise<Payload | undefined> {
  const tenant_id = tenantOfTools(resource)
  if (tenant_id === undefined) return undefined
  const table = openTable()
  const [tenant, stored] = await Promise.all([
    tenantOf(table, tenant_id).catch(() => undefined), // whoever asks learns nothing about which tenants exist
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
