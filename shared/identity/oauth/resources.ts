// What an access token can be for (RFC 8707): the API, or the tools of one tenant. A token for one is refused at the other.
import { env } from '../../base/lib/env.ts'

export const apiResource = (): string => env('BASE_URL')

/** The address at which agents find the tools of a tenant. It names the tenant before anybody has signed in. */
export const mcpResource = (tenant_id: string): string => `${env('BASE_URL')}/mcp/${tenant_id}`

/** Where the tools of a tenant say which server gives tokens for them (RFC 9728). */
export const mcpMetadata = (tenant_id: string): string =>
  `${env('BASE_URL')}/.well-known/oauth-protected-resource/mcp/${encodeURIComponent(tenant_id)}`

const TENANT_ID = /^ten_[0-9A-HJKMNP-TV-Z]{26}$/

/** The tenant whose tools a resource names; undefined for any other. Compared exactly, without normalising. */
export function tenantOfTools(resource: string | undefined): string | undefined {
  const id = resource?.split('/').at(-1) ?? ''
  return TENANT_ID.test(id) && resource === mcpResource(id) ? id : undefined
}
