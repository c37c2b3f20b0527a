// Where our side of single sign-on lives, and who we are to identity providers.
import { env } from '../../base/lib/env.ts'

const METADATA_PATH = '/auth/sso/saml/metadata/'

export const metadataUrl = (tenant_id: string): string => `${env('BASE_URL')}${METADATA_PATH}${tenant_id}`

/** The name of a tenant's service provider, which is also the address of its metadata. */
export const entityId = metadataUrl

/** The tenant that such a name belongs to. */
export const tenantOfEntity = (name: string): string | undefined => {
  const prefix = metadataUrl('')
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined
}

export const acsUrl = (): string => `${env('BASE_URL')}/auth/sso/callback`
export const sloUrl = (): string => `${env('BASE_URL')}/auth/sso/logout`
export const oidcRedirectUri = (): string => `${env('APP_URL')}/auth/sso/callback`

/**
 * Where a browser begins. Answers of SAML are posted to the API host and those of OpenID Connect come to the application
 * host, and the cookie must be where the answer comes.
 */
export function startUrl(protocol: 'saml' | 'oidc', query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const host = protocol === 'saml' ? env('BASE_URL') : env('APP_URL')
  return `${host}/auth/sso/start?${new URLSearchParams(given).toString()}`
}
