// The URLs of single sign-on, and the name of a tenant's service provider.
import { env } from '../../base/lib/runtime.ts'

const METADATA_PATH = '/auth/sso/saml/metadata/'

export const metadataUrl = (tenant_id: string): string => `${env('BASE_URL')}${METADATA_PATH}${tenant_id}`

/** The entity id of a tenant's service provider is the URL of its metadata. */
export const entityId = metadataUrl

/** The tenant of an entity id. */
export const tenantOfEntity = (name: string): string | undefined => {
  const prefix = metadataUrl('')
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined
}

export const acsUrl = (): string => `${env('BASE_URL')}/auth/sso/callback`
export const sloUrl = (): string => `${env('BASE_URL')}/auth/sso/logout`
export const oidcRedirectUri = (): string => `${env('APP_URL')}/auth/sso/callback`

/**
 * The URL that starts a sign-in. It is on the host that receives the answer of the provider, because the cookie must be there:
 * the API host for SAML, the application host for OpenID Connect.
 */
export function startUrl(protocol: 'saml' | 'oidc', query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const host = protocol === 'saml' ? env('BASE_URL') : env('APP_URL')
  return `${host}/auth/sso/start?${new URLSearchParams(given).toString()}`
}

/** The beginning of the addresses of the pages of approvals. A sign-in that began there returns there. */
export const pagesUrl = (): string => `${env('APP_URL')}/approvals/`

/** The URL of an interaction of the OAuth provider, the same for all its pages. A sign-in that began there returns to it. */
export const interactionUrl = (uid: string): string => `${env('APP_URL')}/oauth/interaction/${uid}`
