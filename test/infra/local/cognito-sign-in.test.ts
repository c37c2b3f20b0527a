import { AdminDisableUserCommand, AdminEnableUserCommand } from '@aws-sdk/client-cognito-identity-provider'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { claimsIn, type CognitoUnderTest, GENEROUS, PASSWORD, startCognito, TENANT } from '../../support/cognito.ts'

let pool: CognitoUnderTest
beforeAll(async () => {
  pool = await startCognito()
})
afterAll(() => pool.stop())
beforeEach(() => {
  Object.assign(pool.triggers, GENEROUS)
  pool.events.length = 0
})

const later = (ms: number) => pool.clock.moveTo(pool.clock.now() + ms)
const refused = (message: string, name = 'NotAuthorizedException') => expect.objectContaining({ name, message })
const INCORRECT = refused('Incorrect username or password.')
const of = (Username: string) => ({ ...pool.inPool, Username })

describe('a sign-in by password', () => {
  test('gives tokens with the claims of Cognito', async () => {
    const username = await pool.user()

    const { AccessToken, IdToken, RefreshToken = '', ExpiresIn, TokenType } = await pool.signIn(username)

    const { issuer: iss, clientId } = pool.cognito.pool
    const iat = Math.floor(pool.clock.now() / 1_000)
    const [access, id] = [claimsIn(AccessToken), claimsIn(IdToken)]
    const common = { sub: id.sub, iss, origin_jti: access.origin_jti, auth_time: iat, iat, exp: iat + 900 }
    const unique = { event_id: expect.any(String), jti: expect.any(String) }
    expect(access).toEqual({
      ...common,
      ...unique,
      token_use: 'access',
      client_id: clientId,
      username,
      version: 2,
      scope: 'aws.cognito.signin.user.admin',
    })
    expect(id).toEqual({
      ...common,
      ...unique,
      token_use: 'id',
      aud: clientId,
      'cognito:username': username,
      email: 'anna@example.com',
      'custom:tenant_id': TENANT,
    })
    expect({ ExpiresIn, TokenType }).toEqual({ ExpiresIn: 900, TokenType: 'Bearer' })
    expect(RefreshToken.length).toBeGreaterThan(1_500)
  })

  test('asks for the secret of the client', async () => {
    const username = await pool.user()
    const AuthParameters = { USERNAME: username, PASSWORD, SECRET_HASH: 'wrong' }

    await expect(pool.signIn(username, PASSWORD, { AuthParameters })).rejects.toEqual(
      refused(`Unable to verify secret hash for client ${pool.cognito.pool.clientId}`),
    )
    await expect(pool.signIn(username, '')).rejects.toMatchObject({ name: 'InvalidParameterException' })
    await expect(pool.signIn(username, PASSWORD, { AuthFlow: 'USER_SRP_AUTH' })).rejects.toMatchObject({
      name: 'InvalidParameterException',
    })
  })

  test('tells nobody whether the name or the password was wrong', async () => {
    await expect(pool.signIn(await pool.user(), 'wrong')).rejects.toEqual(INCORRECT)
    await expect(pool.signIn(await pool.create(), PASSWORD)).rejects.toEqual(INCORRECT)
    await expect(pool.signIn('nobody')).rejects.toEqual(INCORRECT)
  })

  test('of a disabled user is refused, and says so only to who knows the password', async () => {
    const username = await pool.user()
    await pool.client.send(new AdminDisableUserCommand(of(username)))

    await expect(pool.signIn(username)).rejects.toEqual(refused('User is disabled.'))
    await expect(pool.signIn(username, 'wrong')).rejects.toEqual(INCORRECT)

    await pool.client.send(new AdminEnableUserCommand(of(username)))
    await expect(pool.signIn(username)).resolves.toHaveProperty('AccessToken')
  })
})

describe('guessing', () => {
  const EXCEEDED = refused('Password attempts exceeded')
  const fail = async (username: string, times: number) => {
    for (let time = 0; time < times; time += 1) await expect(pool.signIn(username, 'wrong')).rejects.toEqual(INCORRECT)
  }

  test('locks for a second after the fifth failure, then for twice as long after each', async () => {
    const username = await pool.user()
    await fail(username, 4)
    await expect(pool.signIn(username)).resolves.toHaveProperty('AccessToken')

    await fail(username, 5)
    await expect(pool.signIn(username)).rejects.toEqual(EXCEEDED)
    later(999)
    await expect(pool.signIn(username)).rejects.toEqual(EXCEEDED)
    later(1)
    await fail(username, 1)
    later(1_999)
    await expect(pool.signIn(username)).rejects.toEqual(EXCEEDED)
    later(1)
    await expect(pool.signIn(username)).resolves.toHaveProperty('AccessToken')
    await fail(username, 4) // the right password has cleared the count
  })

  test('is forgotten after a quarter of an hour without attempts', async () => {
    const username = await pool.user()
    await fail(username, 5)

    later(900_000)
    await fail(username, 4)

    await expect(pool.signIn(username)).resolves.toHaveProperty('AccessToken')
  })

  test('all at once is counted like one after the other', async () => {
    const username = await pool.user()

    await Promise.allSettled([1, 2, 3, 4, 5].map(() => pool.signIn(username, 'wrong')))

    await expect(pool.signIn(username)).rejects.toEqual(EXCEEDED)
  })
})

describe('a custom challenge', () => {
  const INVALID = refused('Invalid session for the user.')

  test('is asked and answered once', async () => {
    const username = await pool.user()

    const asked = await pool.begin(username)
    const { AuthenticationResult } = await pool.answer(username, asked.Session)

    expect(asked).toMatchObject({
      ChallengeName: 'CUSTOM_CHALLENGE',
      ChallengeParameters: { USERNAME: username, hint: 'yes' },
    })
    expect(claimsIn(AuthenticationResult?.AccessToken)).toMatchObject({ username, token_use: 'access' })
    await expect(pool.answer(username, asked.Session)).rejects.toEqual(INVALID)
  })

  test('hands the functions what the guide says', async () => {
    const username = await pool.user()
    const { Session } = await pool.begin(username)
    await pool.answer(username, Session)

    expect(
      pool.events.map(({ triggerSource, request: { userAttributes: _, ...request } }) => [triggerSource, request]),
    ).toEqual([
      ['DefineAuthChallenge_Authentication', { session: [] }],
      ['CreateAuthChallenge_Authentication', { challengeName: 'CUSTOM_CHALLENGE', session: [] }],
      [
        'VerifyAuthChallengeResponse_Authentication',
        { privateChallengeParameters: { key: 'yes' }, challengeAnswer: 'yes' },
      ],
      [
        'DefineAuthChallenge_Authentication',
        { session: [{ challengeName: 'CUSTOM_CHALLENGE', challengeResult: true, challengeMetadata: '' }] },
      ],
      ['TokenGeneration_Authentication', expect.anything()],
    ])
  })

  test('belongs to its user and lives for three minutes', async () => {
    const [username, other] = [await pool.user(), await pool.user()]
    const first = await pool.begin(username)
    await expect(pool.answer(other, first.Session)).rejects.toEqual(INVALID)

    const second = await pool.begin(username)
    later(180_000)
    await expect(pool.answer(username, second.Session)).rejects.toEqual(INVALID)
    await expect(pool.answer(username, 'made-up')).rejects.toEqual(INVALID)
  })

  test('is bound to the client', async () => {
    const username = await pool.user()
    const { Session } = await pool.begin(username)

    await expect(pool.answer(username, Session, 'yes', { ClientId: 'another' })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    })
    await expect(
      pool.answer(username, Session, 'yes', { ChallengeResponses: { USERNAME: username, ANSWER: 'yes' } }),
    ).rejects.toMatchObject({ name: 'NotAuthorizedException' })
  })

  test('fails when the functions say so', async () => {
    const username = await pool.user()
    pool.triggers['define-challenge'] = ({ request }) => {
      const [answered] = request.session as { challengeResult: boolean }[]
      if (!answered) return { challengeName: 'CUSTOM_CHALLENGE' }
      return { issueTokens: answered.challengeResult, failAuthentication: !answered.challengeResult }
    }
    const { Session } = await pool.begin(username)
    await expect(pool.answer(username, Session, 'no')).rejects.toEqual(INCORRECT)

    pool.triggers['define-challenge'] = () => ({ failAuthentication: true })
    await expect(pool.begin(username)).rejects.toEqual(INCORRECT)
  })

  test('is for users who are enabled and have a password', async () => {
    const username = await pool.user()
    await pool.client.send(new AdminDisableUserCommand(of(username)))

    await expect(pool.begin(username)).rejects.toEqual(refused('User is disabled.'))
    await expect(pool.begin(await pool.create())).rejects.toEqual(INCORRECT)
    await expect(pool.begin('nobody')).rejects.toEqual(INCORRECT)
  })
})
