// What an agent without a good token is told (RFC 6750 and 9728): where to get one for the tools of this tenant.
import { mcpMetadata } from './resources.ts'

/** The scopes that an agent needs, and the one that lets it go on without its person: clients ask for exactly these. */
export const AGENT_SCOPES = ['agent:execute', 'governance:read', 'offline_access']

/** The value of `WWW-Authenticate`. `lacksScope`: the token is good, but another scope is needed. */
export function challengeOf(tenant_id: string, { lacksScope = false } = {}): string {
  const error = lacksScope ? 'error="insufficient_scope", ' : ''
  return `Bearer ${error}resource_metadata="${mcpMetadata(tenant_id)}", scope="${AGENT_SCOPES.join(' ')}"`
}
