// The rules for every client, whether it comes through the API or through registration. Pure.
import { type Permission, PERMISSIONS, permissionsOfScopes } from '../../../base/catalog/permissions.ts'
import { DEVICE_GRANT, type OAuthClient } from './client.ts'
import { isAppWithLoopbackTls, clientRedirectUriProblem } from '../../../base/lib/redirect-uri.ts'
import { API_SCOPES, type OAuthScope } from '../scopes.ts'
import { createPublicKey } from 'node:crypto'

type Described = Pick<
  OAuthClient,
  | 'type'
  | 'redirect_uris'
  | 'post_logout_redirect_uris'
  | 'backchannel_logout_uri'
  | 'backchannel_logout_session_required'
  | 'grant_types'
  | 'token_endpoint_auth_method'
  | 'jwks'
  | 'skip_consent'
  | 'source'
>

/** A broken rule. `at` is the path of the field. */
export type Problem = { at: (string | number)[]; message: string }

const LISTS = ['redirect_uris', 'post_logout_redirect_uris'] as const

/** The rules that a client breaks; none for a sound one. */
export function problemsOf(client: Described): Problem[] {
  const { type, grant_types, redirect_uris, token_endpoint_auth_method: method } = client
  const uses = (grant: (typeof grant_types)[number]) => grant_types.includes(grant)
  const rules: [boolean, Problem][] = [
    [
      uses('authorization_code') === redirect_uris.length > 0,
      at('redirect_uris', 'Give redirect URIs if grant_types holds authorization_code, and only then.'),
    ],
    [
      !uses('refresh_token') || uses('authorization_code') || uses(DEVICE_GRANT),
      at('grant_types', `refresh_token needs authorization_code or ${DEVICE_GRANT}. Add one of them.`),
    ],
    [
      !uses('client_credentials') || type === 'confidential',
      at('grant_types', 'A public client cannot use client_credentials. Use the type confidential.'),
    ],
    [
      (method === 'none') === (type === 'public'),
      at('token_endpoint_auth_method', 'Use none for a public client, and another method for a confidential one.'),
    ],
    [
      (method === 'private_key_jwt') === (client.jwks !== undefined),
      at('jwks', 'Give keys if token_endpoint_auth_method is private_key_jwt, and only then.'),
    ],
    [
      !isAppWithLoopbackTls(LISTS.flatMap((name) => client[name])),
      at('redirect_uris', 'A native app cannot use https on a loopback address. Use http there.'),
    ],
    [
      client.backchannel_logout_uri?.includes('#') !== true,
      at('backchannel_logout_uri', 'The URI must hold no fragment.'),
    ],
    [
      client.backchannel_logout_uri !== null || !client.backchannel_logout_session_required,
      at('backchannel_logout_session_required', 'Give a backchannel_logout_uri, to which the sessions are told.'),
    ],
    [
      !client.skip_consent || client.source === 'api',
      at('skip_consent', 'A client that registered itself must ask for consent. Leave skip_consent false.'),
    ],
  ]
  return [
    ...rules.flatMap(([kept, problem]) => (kept ? [] : [problem])),
    ...keyProblems(client.jwks),
    ...LISTS.flatMap((name) => addressProblems(name, client[name])),
  ]
}

const at = (member: string, message: string): Problem => ({ at: [member], message })

function keyProblems(jwks: Described['jwks']): Problem[] {
  const message = jwks && keysProblem(jwks.keys)
  return message === undefined ? [] : [at('jwks', message)]
}

const addressProblems = (name: string, uris: readonly string[]): Problem[] =>
  uris.flatMap((uri, index) => {
    const message = clientRedirectUriProblem(uri)
    return message === undefined ? [] : [{ at: [name, index], message }]
  })

/** The first scope of which the creator holds no permission. Such a scope gives nothing, so nobody may give it. */
export function scopeBeyond(scopes: readonly OAuthScope[], held: ReadonlySet<Permission>): OAuthScope | undefined {
  const given = API_SCOPES.filter((scope) => scopes.includes(scope))
  return given.find((scope) => permissionsOfScopes([scope]).isDisjointFrom(held))
}

/** The cap of a client: the permissions of its creator that a scope can give. */
export const capOf = (held: ReadonlySet<Permission>): Permission[] =>
  [...held].filter((permission) => PERMISSIONS[permission].scope !== null)

/** Members of private and symmetric keys (RFC 7518, section 6). */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']
const TEXTS = ['kty', 'alg', 'kid', 'use']

/**
 * Why a set of keys, with which a client authenticates (RFC 7523), cannot be registered; undefined when it can. They must be public
 * and readable: the library would accept others at registration and then refuse the client at its first request.
 */
export function keysProblem(keys: readonly Record<string, unknown>[]): string | undefined {
  if (keys.length === 0) return 'The set holds no key. Add one.'
  if (keys.some((key) => PRIVATE.some((name) => name in key)))
    return 'The set holds a private or symmetric key. Send public keys only, and replace this one.'
  return keys.every(isReadable) ? undefined : 'A key cannot be read. Send RSA, EC or OKP keys (RFC 7517).'
}

function isReadable(key: Record<string, unknown>): boolean {
  const { x5c = [] } = key
  const isChain = Array.isArray(x5c) && x5c.every((one) => typeof one === 'string' && one !== '')
  if (!isChain || TEXTS.some((name) => name in key && (typeof key[name] !== 'string' || key[name] === ''))) return false
  try {
    createPublicKey({ key, format: 'jwk' }) // throws for any member that is not valid
    return true
  } catch {
    return false
  }
}
