// The request body that registers a client through the API.
import * as z from 'zod'
import { displayName, id, optional } from '../../base/wire/fields.ts'
import { MODES } from '../../base/table/members.ts'
import { AUTH_METHODS, GRANT_TYPES, Jwks } from './client.ts'
import { NAME_MAX } from './client-metadata.ts'
import { PRESETS } from './presets.ts'
import { OAUTH_SCOPES } from './scopes.ts'

export const Address = z.string().max(2_048)
export const Addresses = z.array(Address).max(20)
export const Scopes = z.array(z.enum(OAUTH_SCOPES)).min(1)
export const Name = displayName(NAME_MAX)

const unique = <T>(list: T[]): T[] => [...new Set(list)]

export const ClientFields = z.strictObject({
  name: Name,
  type: z.enum(['public', 'confidential']),
  redirect_uris: Addresses.default([]).transform(unique),
  post_logout_redirect_uris: Addresses.default([]).transform(unique),
  backchannel_logout_uri: Address.nullable().default(null),
  backchannel_logout_session_required: z.boolean().default(false),
  grant_types: z.array(z.enum(GRANT_TYPES)).min(1).transform(unique),
  scopes: Scopes.transform(unique),
  token_endpoint_auth_method: optional(z.enum(AUTH_METHODS)),
  jwks: optional(Jwks),
  mode: z.enum(MODES).default('live'),
  skip_consent: z.boolean().default(false),
  /** The client belongs to the tenant and stays when its maker is removed. */
  service: z.boolean().default(false),
  agent_id: optional(id),
  /** Adds the redirect URIs of a product. */
  preset: optional(z.enum(PRESETS)),
})
