// The tokens of the Cognito stand-in, with the claims of real ones and the changes by the pre token generation function
// (version 2).
import { createHash, randomBytes, randomUUID, sign } from 'node:crypto'
import { USER_POOL } from '../../topology.ts'
import { AwsError } from '../aws-error.ts'
import { kidOf, type Pool } from './pool.ts'
import type { Family, User } from './store.ts'
import { attributesOf, type CallTrigger } from './triggers.ts'

type Claims = Record<string, unknown>

/** What the function answers for each kind of token. */
type Changes = {
  claimsToAddOrOverride?: Claims
  claimsToSuppress?: string[]
  scopesToAdd?: string[]
  scopesToSuppress?: string[]
}
type Details = { accessTokenGeneration?: Changes | null; idTokenGeneration?: Changes | null }

const SCOPES = ['aws.cognito.signin.user.admin']
const SESSION_BYTES = 1_300 // makes a refresh token as long as Cognito's

/** Claims that no function can change ("Pre token generation Lambda trigger", developer guide). */
const RESERVED = new Set(
  (
    'acr amr at_hash auth_time azp client_id device_key event_id exp iat identities iss jti nbf nonce origin_jti ' +
    's_hash scope sub token_use username version'
  ).split(' '),
)
const isReserved = (name: string) => RESERVED.has(name) || /^(cognito|dev):/.test(name)

export const newRefreshToken = (): string => randomBytes(SESSION_BYTES).toString('base64url')
/** The stored hash of a refresh token or of a challenge's session. */
export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

export type Issuing = { pool: Pool; issuer: string; call: CallTrigger; now: () => number }
export type TokenSource = 'TokenGeneration_Authentication' | 'TokenGeneration_RefreshTokens'

/** Issues access and ID token of a family; calls the function each time. */
export async function issueTokens(by: Issuing, user: User, family: Family, source: TokenSource) {
  const { accessTokenGeneration, idTokenGeneration } = await askFunction(by, user, source)
  const common = commonClaims(by, family)
  const access = {
    ...common,
    client_id: by.pool.clientId,
    token_use: 'access',
    scope: scopesAfter(accessTokenGeneration).join(' '),
    version: 2,
    username: user.username,
    jti: randomUUID(),
  }
  const { 'cognito:user_status': _, sub: _sub, ...visible } = attributesOf(user)
  const id = { ...common, ...visible, aud: by.pool.clientId, 'cognito:username': user.username, token_use: 'id' }
  return {
    AccessToken: signed(by.pool, changed(access, accessTokenGeneration, by.pool.clientId)),
    IdToken: signed(by.pool, changed({ ...id, jti: randomUUID() }, idTokenGeneration, by.pool.clientId)),
    ExpiresIn: USER_POOL.accessMinutes * 60,
    TokenType: 'Bearer',
  }
}

async function askFunction({ call }: Issuing, user: User, source: TokenSource): Promise<Details> {
  const groupConfiguration = { groupsToOverride: [], iamRolesToOverride: [], preferredRole: null }
  const answer = await call({
    name: 'preTokenGeneration',
    source,
    version: '2',
    user,
    request: { groupConfiguration, scopes: SCOPES },
    response: { claimsAndScopeOverrideDetails: null },
  })
  return answer.claimsAndScopeOverrideDetails ?? {} // other members are ignored
}

function commonClaims({ issuer, now }: Issuing, { sub, origin_jti, auth_time }: Family): Claims {
  const iat = Math.floor(now() / 1_000)
  const exp = iat + USER_POOL.accessMinutes * 60
  return { sub, iss: issuer, origin_jti, event_id: randomUUID(), auth_time, iat, exp }
}

function scopesAfter(changes: Changes | null | undefined): string[] {
  const { scopesToAdd = [], scopesToSuppress = [] } = changes ?? {}
  return [...SCOPES, ...scopesToAdd].filter((scope) => !scopesToSuppress.includes(scope))
}

/** Applies changes. Reserved claims are kept; an audience other than the app client is refused. */
function changed(claims: Claims, changes: Changes | null | undefined, clientId: string): Claims {
  const { claimsToAddOrOverride = {}, claimsToSuppress = [] } = changes ?? {}
  if ('aud' in claimsToAddOrOverride && claimsToAddOrOverride.aud !== clientId) {
    throw new AwsError('InvalidLambdaResponseException', 'aud must be the id of the app client')
  }
  const kept = Object.entries(claims).filter(([name]) => isReserved(name) || !claimsToSuppress.includes(name))
  const added = Object.entries(claimsToAddOrOverride).filter(([name]) => !isReserved(name))
  return Object.fromEntries([...kept, ...added])
}

/** JWS in compact form, RS256 (RFC 7515). */
function signed(pool: Pool, claims: Claims): string {
  const parts = [{ kid: kidOf(pool), alg: 'RS256' }, claims]
  const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${input}.${sign('sha256', Buffer.from(input), pool.privateKey).toString('base64url')}`
}
