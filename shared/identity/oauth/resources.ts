// What an access token can be for (RFC 8707): the API, or the tools of one tenant. A token for one is refused at the other.
import { env } from '../../base/lib/runtime.ts'

export const apiResource = (): string => env('BASE_URL')

/** The address at which agents find the tools of a tenant. It names the tenant before anybody has signed in. */
export const mcpResource = (tenant_id: string): string => `${env('BASE_URL')}/mcp/${tenant_id}`

/** Where the tools of a tenant say which server gives tokens for them (RFC 9728). */
const mcpMetadata = (tenant_id: string): string =>
  `${env('BASE_URL')}/.well-known/oauth-protected-resource/mcp/${encodeURIComponent(tenant_id)}`

const TENANT_ID = /^ten_[0-9A-HJKMNP-TV-Z]{26}$/

/** The tenant whose tools a resource names; undefined for any other. Compared exactly, without normalising. */
export function tenantOfTools(resource: string | undefined): string | undefined {
  const id = resource?.split('/').at(-1) ?? ''
  return TENANT_ID.test(id) && resource === mcpResource(id) ? id : undefined
}

/** The scopes that an agent needs, and the one that lets it go on without its person: clients ask for exactly these. */
export const AGENT_SCOPES = ['agent:execute', 'governance:read', 'offline_access']

/**
 * The value of `WWW-Authenticate` for an agent without a good token (RFC 6750 and 9728): where to get one for the tools of this
 * tenant. `lacksScope`: the token is good, but another scope is needed.
 */
export function challengeOf(tenant_id: string, { lacksScope = false } = {}): string {
  const error = lacksScope ? 'error="insufficient_scope", ' : ''
  return `Bearer ${error}resource_metadata="${mcpMetadata(tenant_id)}", scope="${AGENT_SCOPES.join(' ')}"`
}
