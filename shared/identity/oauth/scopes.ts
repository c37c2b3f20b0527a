// The scopes of OAuth tokens: those about the identity of a person, and four of the scopes of API keys.
import type { Scope } from '../../base/catalog/permissions.ts'

export const API_SCOPES = [
  'diagnostic:read',
  'governance:read',
  'evidence:read',
  'agent:execute',
] as const satisfies Scope[]

export const IDENTITY_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const

export const OAUTH_SCOPES = [...IDENTITY_SCOPES, ...API_SCOPES] as const

export type OAuthScope = (typeof OAUTH_SCOPES)[number]

/** The scopes of a token that give permissions on the API. */
export const apiScopesOf = (scope: string): Scope[] => {
  const requested = scope.split(' ')
  return API_SCOPES.filter((one) => requested.includes(one))
}
