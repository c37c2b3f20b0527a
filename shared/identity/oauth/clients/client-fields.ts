// The request body that registers a client through the API, with the redirect URIs of known products.
import * as z from 'zod'
import { displayName, id, optional } from '../../../base/wire/fields.ts'
import { MODES } from '../../../base/table/members.ts'
import { AUTH_METHODS, GRANT_TYPES, Jwks } from './client.ts'
import { NAME_MAX } from './client-metadata.ts'
import { OAUTH_SCOPES } from '../scopes.ts'

const PRESETS = ['claude', 'vscode', 'cursor', 'custom'] as const
export type Preset = (typeof PRESETS)[number]

/**
 * Redirect URIs of products whose agents connect by MCP. A product may change its addresses, so each entry says when it was last
 * compared with the product's documentation.
 */
export const PRESET_URIS: Record<Preset, { checked: string; redirect_uris: readonly string[] }> = {
  claude: {
    checked: '2026-11-24',
    redirect_uris: [
      'https://claude.ai/api/mcp/auth_callback',
      'https://claude.com/api/mcp/auth_callback',
      'http://localhost/callback', // the command line, on any port
    ],
  },
  vscode: {
    checked: '2026-11-24',
    redirect_uris: [
      'https://vscode.dev/redirect',
      'https://insiders.vscode.dev/redirect',
      'http://127.0.0.1/', // on any port
    ],
  },
  cursor: {
    checked: '2026-11-28',
    redirect_uris: [
      'http://localhost:8787/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'cursor://anysphere.cursor-mcp/oauth/callback', // earlier versions
    ],
  },
  custom: { checked: '2026-11-24', redirect_uris: [] },
}

export const Address = z.string().max(2_048)
export const Addresses = z.array(Address).max(20)
export const Scopes = z.array(z.enum(OAUTH_SCOPES)).min(1)
export const Name = displayName(NAME_MAX)

const unique = <T>(list: T[]): T[] => [...new Set(list)]

export const ClientFields = z.strictObject({
  name: Name.describe('A name for people.'),
  type: z.enum(['public', 'confidential']).describe('Whether the client can keep a secret (RFC 6749, section 2.1).'),
  redirect_uris: Addresses.default([]).transform(unique).describe('The addresses to which codes may be sent.'),
  post_logout_redirect_uris: Addresses.default([])
    .transform(unique)
    .describe('The addresses to which people may be sent after sign-out.'),
  backchannel_logout_uri: Address.nullable()
    .default(null)
    .describe(
      'Where the client is told that a person has signed out (OpenID Connect Back-Channel Logout); null: nowhere.',
    ),
  backchannel_logout_session_required: z
    .boolean()
    .default(false)
    .describe('Whether logout tokens name the session that has ended. ID tokens then name theirs (`sid`).'),
  grant_types: z
    .array(z.enum(GRANT_TYPES))
    .min(1)
    .transform(unique)
    .describe('Grants that the client may use (RFC 6749).'),
  scopes: Scopes.transform(unique).describe('The scopes of the credential.'),
  token_endpoint_auth_method: optional(z.enum(AUTH_METHODS)).describe('How the client authenticates (RFC 7591).'),
  jwks: optional(Jwks).describe('Public keys of the client (RFC 7517).'),
  mode: z.enum(MODES).default('live').describe('Whether it belongs to live or test data.'),
  skip_consent: z
    .boolean()
    .default(false)
    .describe('Whether people need not agree. The client can then do no more than its creator.'),
  /** The client belongs to the tenant and stays when its maker is removed. */
  service: z.boolean().default(false).describe('Whether it belongs to the tenant and stays when its creator leaves.'),
  agent_id: optional(id).describe('Id of the agent, which is bound to the credential or stated in the request.'),
  preset: optional(z.enum(PRESETS)).describe('Adds the redirect URIs of a product.'),
})
