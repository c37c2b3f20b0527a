// Converts a client between the metadata of the registration protocol (RFC 7591) and the stored item.
import type { Payload } from 'oidc-provider'
import { OAuthClient } from './client.ts'
import { cleanName } from '../../../base/lib/names.ts'
import { applicationType } from '../../../base/lib/redirect-uri.ts'

/** Metadata beside those of the protocol. The library keeps and returns them, but never takes them from a request. */
export const EXTRA_METADATA = ['tenant_id', 'mode', 'skip_consent'] as const

export function metadataOf(client: OAuthClient, secret: string | undefined): Payload {
  const { client_id, redirect_uris, post_logout_redirect_uris, grant_types, registered = '{}' } = client
  return {
    ...JSON.parse(registered),
    application_type: applicationType([...redirect_uris, ...post_logout_redirect_uris]),
    client_id,
    client_id_issued_at: Math.floor(Date.parse(client.created_at) / 1_000),
    client_name: client.name,
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    redirect_uris,
    post_logout_redirect_uris,
    ...(client.backchannel_logout_uri !== null && {
      backchannel_logout_uri: client.backchannel_logout_uri,
      backchannel_logout_session_required: client.backchannel_logout_session_required,
    }),
    response_types: grant_types.includes('authorization_code') ? ['code'] : [],
    grant_types,
    scope: client.scopes.join(' '),
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    ...(client.jwks && { jwks: client.jwks }),
    tenant_id: client.tenant_id,
    mode: client.mode,
    skip_consent: client.skip_consent,
  }
}

/** Metadata with a field of its own in the item. */
const ITEM_FIELDS = new Set<string>([
  ...EXTRA_METADATA,
  'application_type',
  'backchannel_logout_session_required',
  'backchannel_logout_uri',
  'client_id',
  'client_id_issued_at',
  'client_name',
  'client_secret',
  'client_secret_expires_at',
  'grant_types',
  'jwks',
  'post_logout_redirect_uris',
  'redirect_uris',
  'response_types',
  'scope',
  'token_endpoint_auth_method',
])

/** The metadata that a client registers, as fields of the item. The library has checked them before. */
export function registeredFields(metadata: Payload) {
  const rest = Object.fromEntries(Object.entries(metadata).filter(([name]) => !ITEM_FIELDS.has(name)))
  const { scope, client_name = metadata.client_id, token_endpoint_auth_method: method, jwks } = metadata
  return Registered.parse({
    name: cleanName(String(client_name), NAME_MAX) || metadata.client_id,
    type: method === 'none' ? 'public' : 'confidential',
    redirect_uris: metadata.redirect_uris,
    post_logout_redirect_uris: metadata.post_logout_redirect_uris ?? [],
    backchannel_logout_uri: metadata.backchannel_logout_uri ?? null,
    backchannel_logout_session_required: metadata.backchannel_logout_session_required ?? false,
    grant_types: metadata.grant_types,
    scopes: String(scope).split(' '),
    token_endpoint_auth_method: method,
    jwks,
    registered: JSON.stringify(rest),
  })
}

export const NAME_MAX = 80

const Registered = OAuthClient.pick({
  name: true,
  type: true,
  redirect_uris: true,
  post_logout_redirect_uris: true,
  backchannel_logout_uri: true,
  backchannel_logout_session_required: true,
  grant_types: true,
  scopes: true,
  token_endpoint_auth_method: true,
  jwks: true,
  registered: true,
})
