// Sign-in to the pool: by password, or by the custom challenge that the pool's functions define.
import { createHmac, randomUUID } from 'node:crypto'
import { USER_POOL } from '../../topology.ts'
import { AwsError } from '../aws-error.ts'
import type { Actions } from '../aws-server.ts'
import { afterFailure, isLocked, matches } from './passwords.ts'
import { digestOf, type Issuing, issueTokens, newRefreshToken } from './tokens.ts'
import type { Challenge, Store, User } from './store.ts'

type Parameters = Record<string, string | undefined>

const DAY_MS = 86_400_000
const INCORRECT = 'Incorrect username or password.'
const notAuthorized = (message: string) => new AwsError('NotAuthorizedException', message)
const missing = (name: string) => new AwsError('InvalidParameterException', `Missing required parameter ${name}`)

/** The inputs have passed the checks of the pool's and the client's id. */
export function signInActions(store: Store, by: Issuing): Actions {
  const named = (parameters: Parameters) => usernameIn(parameters, by.pool)
  return {
    AdminInitiateAuth: async ({ AuthFlow, AuthParameters = {} }: { AuthFlow: string; AuthParameters?: Parameters }) => {
      const username = named(AuthParameters)
      if (AuthFlow === 'CUSTOM_AUTH') return challenge(store, by, username)
      if (AuthFlow !== 'ADMIN_USER_PASSWORD_AUTH') {
        throw new AwsError('InvalidParameterException', 'Auth flow not enabled for this client')
      }
      const { PASSWORD } = AuthParameters
      if (!PASSWORD) throw missing('PASSWORD')
      return begin(store, by, await checked(store, by, username, PASSWORD))
    },
    AdminRespondToAuthChallenge: async (input: Response) => {
      const { ChallengeName, ChallengeResponses = {}, Session = '' } = input
      const username = named(ChallengeResponses)
      if (ChallengeName !== 'CUSTOM_CHALLENGE' || !ChallengeResponses.ANSWER) throw missing('ANSWER')
      const pending = store.take(digestOf(Session))
      const open = pending && pending.username === username && by.now() < pending.until
      if (!open) throw notAuthorized('Invalid session for the user.')
      return respond(store, by, pending, ChallengeResponses.ANSWER)
    },
  }
}

type Response = { ChallengeName: string; ChallengeResponses?: Parameters; Session?: string }

/** Throws unless the secret hash is right. */
function usernameIn({ USERNAME, SECRET_HASH }: Parameters, { clientId, clientSecret }: Issuing['pool']): string {
  if (!USERNAME) throw missing('USERNAME')
  const hash = createHmac('sha256', clientSecret).update(`${USERNAME}${clientId}`).digest('base64')
  if (hash !== SECRET_HASH) throw notAuthorized(`Unable to verify secret hash for client ${clientId}`)
  return USERNAME
}

/** The user with this password. Counts failures; during a lockout no password is checked. */
async function checked(store: Store, { now }: Issuing, username: string, password: string): Promise<User> {
  const before = store.find(username)
  if (before && isLocked(before, now())) {
    store.save({ ...before, attempted_at: now() })
    throw notAuthorized('Password attempts exceeded')
  }
  const right = await matches(password, before?.password)
  const user = store.find(username) // read again, because of concurrent attempts
  if (!user || !right) {
    if (user) store.save({ ...user, ...afterFailure(user, now()) })
    throw notAuthorized(INCORRECT)
  }
  store.save({ ...user, failures: 0, locked_until: 0, attempted_at: now() })
  return enabled(user)
}

function enabled(user: User): User {
  if (user.enabled) return user
  throw notAuthorized('User is disabled.')
}

/** The first tokens of a new family. */
async function begin(store: Store, by: Issuing, user: User): Promise<object> {
  const token = newRefreshToken()
  const family = {
    origin_jti: randomUUID(),
    token_hash: digestOf(token),
    username: user.username,
    sub: user.sub,
    auth_time: Math.floor(by.now() / 1_000),
    expires_at: by.now() + USER_POOL.refreshDays * DAY_MS,
    revoked: 0,
  }
  const tokens = await issueTokens(by, user, family, 'TokenGeneration_Authentication')
  store.begin(family)
  return { ChallengeParameters: {}, AuthenticationResult: { ...tokens, RefreshToken: token } }
}

const NEXT = { challengeName: null, issueTokens: null, failAuthentication: null }

async function challenge(store: Store, by: Issuing, username: string): Promise<object> {
  const user = store.find(username)
  if (!user?.password) throw notAuthorized(INCORRECT)
  enabled(user)
  const source = 'DefineAuthChallenge_Authentication'
  const next = await by.call({ name: 'defineAuthChallenge', source, user, request: { session: [] }, response: NEXT })
  if (next.failAuthentication || next.challengeName !== 'CUSTOM_CHALLENGE') throw notAuthorized(INCORRECT)
  const made = await by.call({
    name: 'createAuthChallenge',
    source: 'CreateAuthChallenge_Authentication',
    user,
    request: { challengeName: 'CUSTOM_CHALLENGE', session: [] },
    response: { publicChallengeParameters: null, privateChallengeParameters: null, challengeMetadata: null },
  })
  const Session = newRefreshToken()
  store.ask({
    session_hash: digestOf(Session),
    username,
    parameters: JSON.stringify(made.privateChallengeParameters ?? {}),
    metadata: typeof made.challengeMetadata === 'string' ? made.challengeMetadata : '',
    until: by.now() + USER_POOL.challengeMinutes * 60_000,
  })
  const parameters = made.publicChallengeParameters as object | null // as documented
  return { ChallengeName: 'CUSTOM_CHALLENGE', Session, ChallengeParameters: { USERNAME: username, ...parameters } }
}

async function respond(store: Store, by: Issuing, pending: Challenge, answer: string): Promise<object> {
  const user = enabled(store.user(pending.username))
  const { answerCorrect } = await by.call({
    name: 'verifyAuthChallengeResponse',
    source: 'VerifyAuthChallengeResponse_Authentication',
    user,
    request: { privateChallengeParameters: JSON.parse(pending.parameters), challengeAnswer: answer },
    response: { answerCorrect: null },
  })
  const result = { challengeName: 'CUSTOM_CHALLENGE', challengeResult: answerCorrect === true }
  const source = 'DefineAuthChallenge_Authentication'
  const request = { session: [{ ...result, challengeMetadata: pending.metadata }] }
  const next = await by.call({ name: 'defineAuthChallenge', source, user, request, response: NEXT })
  if (next.failAuthentication || !next.issueTokens) throw notAuthorized(INCORRECT)
  return begin(store, by, user)
}
