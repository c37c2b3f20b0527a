import {
  AdminDeleteUserCommand,
  AdminDisableUserCommand,
  AdminEnableUserCommand,
  AdminUserGlobalSignOutCommand,
} from '@aws-sdk/client-cognito-identity-provider'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { claimsIn, type CognitoUnderTest, GENEROUS, startCognito, TENANT } from '../../support/cognito.ts'

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
const of = (Username: string) => ({ ...pool.inPool, Username })

describe('the function before tokens', () => {
  test('is called with the second version of the event, again at each refresh', async () => {
    const username = await pool.user()
    const { RefreshToken } = await pool.signIn(username)
    await pool.refresh(RefreshToken)

    const { id, clientId } = pool.cognito.pool
    const event = {
      version: '2',
      region: 'us-east-1',
      userPoolId: id,
      userName: username,
      callerContext: { awsSdkVersion: expect.any(String), clientId },
      request: {
        userAttributes: {
          sub: expect.any(String),
          'cognito:user_status': 'CONFIRMED',
          email: 'anna@example.com',
          'custom:tenant_id': TENANT,
        },
        groupConfiguration: { groupsToOverride: [], iamRolesToOverride: [], preferredRole: null },
        scopes: ['aws.cognito.signin.user.admin'],
      },
      response: { claimsAndScopeOverrideDetails: null },
    }
    expect(pool.events).toEqual([
      { ...event, triggerSource: 'TokenGeneration_Authentication' },
      { ...event, triggerSource: 'TokenGeneration_RefreshTokens' },
    ])
  })

  const changing = (accessTokenGeneration: object, idTokenGeneration: object = {}) => {
    pool.triggers['pre-token'] = () => ({
      claimsAndScopeOverrideDetails: { accessTokenGeneration, idTokenGeneration },
    })
  }

  test('adds, replaces and suppresses claims and scopes', async () => {
    const { clientId: aud } = pool.cognito.pool
    const claimsToAddOrOverride = { aud, roles: ['owner'], tenant_id: TENANT }
    changing(
      { claimsToAddOrOverride, scopesToAdd: ['extra'], scopesToSuppress: ['aws.cognito.signin.user.admin'] },
      { claimsToSuppress: ['email'] },
    )

    const { AccessToken, IdToken } = await pool.signIn(await pool.user())

    expect(claimsIn(AccessToken)).toMatchObject({ ...claimsToAddOrOverride, scope: 'extra' })
    expect(claimsIn(IdToken)).not.toHaveProperty('email')
  })

  test('cannot change reserved claims', async () => {
    const username = await pool.user()
    const before = claimsIn((await pool.signIn(username)).AccessToken)
    const forged = {
      sub: 'x',
      iss: 'x',
      exp: 1,
      client_id: 'x',
      token_use: 'x',
      username: 'x',
      'cognito:groups': ['x'],
    }
    changing({ claimsToAddOrOverride: forged, claimsToSuppress: Object.keys(forged) })

    const after = claimsIn((await pool.signIn(username)).AccessToken)

    const { sub, iss, exp, client_id, token_use } = before
    expect(after).toMatchObject({ sub, iss, exp, client_id, token_use, username })
    expect(after).not.toHaveProperty('cognito:groups')
  })

  test('cannot name another audience', async () => {
    changing({ claimsToAddOrOverride: { aud: 'another' } })

    await expect(pool.signIn(await pool.user())).rejects.toMatchObject({ name: 'InvalidLambdaResponseException' })
  })

  test('refuses by throwing', async () => {
    const username = await pool.user()
    pool.triggers['pre-token'] = () => {
      throw new Error('the account is not active')
    }

    await expect(pool.signIn(username)).rejects.toEqual(
      refused('PreTokenGeneration failed with error the account is not active.', 'UserLambdaValidationException'),
    )
  })

  test('must answer with the event', async () => {
    pool.triggers['pre-token'] = () => undefined

    await expect(pool.signIn(await pool.user())).rejects.toMatchObject({ name: 'InvalidLambdaResponseException' })
  })
})

describe('a refresh', () => {
  test('keeps session and time of sign-in, and gives no new refresh token', async () => {
    const first = await pool.signIn(await pool.user())
    later(60_000)

    const fresh = await pool.refresh(first.RefreshToken)

    const [before, after] = [claimsIn(first.AccessToken), claimsIn(fresh.AccessToken)]
    expect(after).toMatchObject({ origin_jti: before.origin_jti, auth_time: before.auth_time, sub: before.sub })
    expect(Number(after.iat)).toBe(Number(before.iat) + 60)
    expect(after.jti).not.toBe(before.jti)
    expect(fresh).not.toHaveProperty('RefreshToken')
  })

  test('ends after thirty days', async () => {
    const { RefreshToken } = await pool.signIn(await pool.user())

    later(30 * 86_400_000 - 1)
    await expect(pool.refresh(RefreshToken)).resolves.toHaveProperty('AccessToken')
    later(1)
    await expect(pool.refresh(RefreshToken)).rejects.toEqual(refused('Refresh Token has expired'))
  })

  test('asks for the secret and a token that was given', async () => {
    const { RefreshToken } = await pool.signIn(await pool.user())

    await expect(pool.refresh(RefreshToken, { ClientSecret: 'wrong' })).rejects.toMatchObject({
      name: 'NotAuthorizedException',
    })
    await expect(pool.refresh('made-up')).rejects.toEqual(refused('Invalid Refresh Token'))
  })

  test('ends for all families of a user who is signed out or disabled, for good', async () => {
    const username = await pool.user()
    const [one, other] = [await pool.signIn(username), await pool.signIn(username)]
    await pool.client.send(new AdminUserGlobalSignOutCommand(of(username)))
    for (const { RefreshToken } of [one, other]) {
      await expect(pool.refresh(RefreshToken)).rejects.toEqual(refused('Refresh Token has been revoked'))
    }

    const { RefreshToken } = await pool.signIn(username)
    await pool.client.send(new AdminDisableUserCommand(of(username)))
    await pool.client.send(new AdminEnableUserCommand(of(username)))
    await expect(pool.refresh(RefreshToken)).rejects.toEqual(refused('Refresh Token has been revoked'))
  })

  test('ends with the user, whose successor of the same name is somebody else', async () => {
    const username = await pool.user()
    const { RefreshToken } = await pool.signIn(username)

    await pool.client.send(new AdminDeleteUserCommand(of(username)))
    await expect(pool.refresh(RefreshToken)).rejects.toMatchObject({ name: 'UserNotFoundException' })

    await pool.create(username)
    await expect(pool.refresh(RefreshToken)).rejects.toMatchObject({ name: 'UserNotFoundException' })
  })
})
