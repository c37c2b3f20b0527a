// The Cognito stand-in by itself, called by the real SDK client, with functions that a test replaces.
import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import {
  AdminCreateUserCommand,
  AdminInitiateAuthCommand,
  AdminRespondToAuthChallengeCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
  DescribeUserPoolClientCommand,
  GetTokensFromRefreshTokenCommand,
} from '@aws-sdk/client-cognito-identity-provider'
import { workers } from '../../functions/workers.ts'
import { listen } from '../../infra/local/aws-server.ts'
import { type Cognito, openCognito } from '../../infra/local/cognito/cognito.ts'
import { openDisk } from '../../infra/local/disk.ts'
import type { Invoke } from '../../infra/local/lambda.ts'
import { LOCAL_CLIENT, temporaryDirectory } from './stand-ins.ts'
import { stillClock } from './still-clock.ts'

export const TENANT = 'ten_1'
export const PASSWORD = 'correct horse battery staple'

type Event = { version: string; triggerSource: string; request: Record<string, unknown> } & Record<string, unknown>
/** By the worker's operation; gives the `response` of the event. */
export type Triggers = Record<string, (event: Event) => unknown>

export const GENEROUS: Triggers = {
  'pre-token': () => ({ claimsAndScopeOverrideDetails: {} }),
  'define-challenge': ({ request }) =>
    (request.session as []).length > 0 ? { issueTokens: true } : { challengeName: 'CUSTOM_CHALLENGE' },
  'create-challenge': () => ({
    publicChallengeParameters: { hint: 'yes' },
    privateChallengeParameters: { key: 'yes' },
  }),
  'verify-challenge': ({ request }) => ({ answerCorrect: request.challengeAnswer === 'yes' }),
}

/** `triggers` may be replaced; `events` holds what the functions were called with. `kill` leaves the directory there. */
export async function startCognito(directory = temporaryDirectory()) {
  const disk = openDisk(directory)
  const server = await listen()
  const clock = stillClock()
  const triggers = { ...GENEROUS }
  const events: Event[] = []
  const invoke: Invoke = async ({ operation }, event) => {
    events.push(event as Event) // the stand-in's own
    return { ...(event as Event), response: await triggers[operation]?.(event as Event) }
  }
  const cognito = await openCognito(disk, clock)
  server.serve(cognito.actions(Object.values(workers), invoke), () => ({ status: 404, headers: {}, body: '' }))
  const client = new CognitoIdentityProviderClient({ ...LOCAL_CLIENT, endpoint: server.url, maxAttempts: 1 })
  const calls = await callsOf(client, cognito)
  const kill = async () => {
    client.destroy()
    await Promise.all([server.close(), cognito.close()])
    disk.close()
  }
  const stop = async () => {
    await kill()
    rmSync(directory, { recursive: true })
  }
  return { ...calls, client, cognito, clock, triggers, events, disk, kill, stop }
}

export type CognitoUnderTest = Awaited<ReturnType<typeof startCognito>>

async function callsOf(client: CognitoIdentityProviderClient, { pool }: Cognito) {
  const inPool = { UserPoolId: pool.id }
  const forClient = { ...inPool, ClientId: pool.clientId }
  const { UserPoolClient } = await client.send(new DescribeUserPoolClientCommand(forClient))
  const ClientSecret = UserPoolClient?.ClientSecret ?? ''
  const secretHash = (username: string) =>
    createHmac('sha256', ClientSecret).update(`${username}${pool.clientId}`).digest('base64')
  const known = (username: string) => ({ USERNAME: username, SECRET_HASH: secretHash(username) })
  let count = 0

  /** A user without a password. */
  const create = async (Username = `U${(count += 1)}`) => {
    const UserAttributes = [
      { Name: 'custom:tenant_id', Value: TENANT },
      { Name: 'email', Value: 'anna@example.com' },
    ]
    await client.send(new AdminCreateUserCommand({ ...inPool, Username, UserAttributes, MessageAction: 'SUPPRESS' }))
    return Username
  }
  const setPassword = (Username: string, Password = PASSWORD) =>
    client.send(new AdminSetUserPasswordCommand({ ...inPool, Username, Password, Permanent: true }))
  return {
    inPool,
    forClient,
    ClientSecret,
    create,
    setPassword,
    /** With `PASSWORD`. */
    user: async () => {
      const username = await create()
      await setPassword(username)
      return username
    },
    signIn: async (username: string, PASSWORD_ = PASSWORD, over: object = {}) => {
      const AuthParameters = { ...known(username), PASSWORD: PASSWORD_ }
      const input = { ...forClient, AuthFlow: 'ADMIN_USER_PASSWORD_AUTH' as const, AuthParameters, ...over }
      return (await client.send(new AdminInitiateAuthCommand(input))).AuthenticationResult ?? {}
    },
    begin: (username: string) =>
      client.send(
        new AdminInitiateAuthCommand({ ...forClient, AuthFlow: 'CUSTOM_AUTH', AuthParameters: known(username) }),
      ),
    answer: (username: string, Session: string | undefined, ANSWER = 'yes', over: object = {}) =>
      client.send(
        new AdminRespondToAuthChallengeCommand({
          ...forClient,
          ChallengeName: 'CUSTOM_CHALLENGE',
          Session,
          ChallengeResponses: { ...known(username), ANSWER },
          ...over,
        }),
      ),
    refresh: async (RefreshToken: string | undefined, over: object = {}) => {
      const input = { ClientId: pool.clientId, ClientSecret, RefreshToken, ...over }
      return (await client.send(new GetTokensFromRefreshTokenCommand(input))).AuthenticationResult ?? {}
    },
  }
}

/** The claims of a token, unverified. */
export const claimsIn = (token = ''): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
