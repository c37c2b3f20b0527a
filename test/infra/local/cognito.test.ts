import { readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import {
  AdminDeleteUserCommand,
  AdminDisableUserCommand,
  AdminEnableUserCommand,
  AdminGetUserCommand,
  AdminSetUserPasswordCommand,
  AdminUpdateUserAttributesCommand,
  AdminUserGlobalSignOutCommand,
  DescribeUserPoolCommand,
  ListUsersCommand,
  RevokeTokenCommand,
} from '@aws-sdk/client-cognito-identity-provider'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCognito } from '../../../infra/local/cognito/cognito.ts'
import { openIssuer } from '../../../infra/local/cognito/issuer.ts'
import { openPool } from '../../../infra/local/cognito/pool.ts'
import { openDisk } from '../../../infra/local/disk.ts'
import { claimsIn, type CognitoUnderTest, PASSWORD, startCognito, TENANT } from '../../support/cognito.ts'
import { temporaryDirectory } from '../../support/stand-ins.ts'

let pool: CognitoUnderTest
beforeAll(async () => {
  pool = await startCognito()
})
afterAll(() => pool.stop())

const named = (name: string) => expect.objectContaining({ name })
const of = (Username: string) => ({ ...pool.inPool, Username })

describe('users', () => {
  test('have a UUID of their own, what they were given, and no password at first', async () => {
    const username = await pool.create()

    const user = await pool.client.send(new AdminGetUserCommand(of(username)))

    const attributes = Object.fromEntries((user.UserAttributes ?? []).map(({ Name, Value }) => [Name, Value]))
    expect(attributes).toEqual({
      sub: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
      email: 'anna@example.com',
      'custom:tenant_id': TENANT,
    })
    expect(user).toMatchObject({ Username: username, Enabled: true, UserStatus: 'FORCE_CHANGE_PASSWORD' })
    expect(user.UserCreateDate).toEqual(new Date(Math.floor(pool.clock.now())))
  })

  test('have one username each, which minds case; a password confirms them', async () => {
    const username = await pool.user()

    await expect(pool.create(username)).rejects.toEqual(named('UsernameExistsException'))
    await expect(pool.create(username.toLowerCase())).resolves.toBeDefined()
    expect(await pool.client.send(new AdminGetUserCommand(of(username)))).toMatchObject({ UserStatus: 'CONFIRMED' })
  })

  test('change their address, never their tenant', async () => {
    const username = await pool.create()
    const change = (Name: string, Value: string) =>
      pool.client.send(new AdminUpdateUserAttributesCommand({ ...of(username), UserAttributes: [{ Name, Value }] }))

    await change('email', 'bert@example.com')
    expect((await pool.client.send(new AdminGetUserCommand(of(username)))).UserAttributes).toContainEqual({
      Name: 'email',
      Value: 'bert@example.com',
    })

    await change('email', '')
    const { UserAttributes = [] } = await pool.client.send(new AdminGetUserCommand(of(username)))
    expect(UserAttributes.map(({ Name }) => Name)).not.toContain('email')

    await expect(change('custom:tenant_id', 'ten_2')).rejects.toEqual(named('InvalidParameterException'))
    await expect(change('custom:other', 'x')).rejects.toEqual(named('InvalidParameterException'))
  })

  test.each([
    ['seven12', 'InvalidPasswordException'],
    [' leading space', 'InvalidParameterException'],
    ['x'.repeat(257), 'InvalidParameterException'],
  ])('the password %j is refused', async (password, error) => {
    await expect(pool.setPassword(await pool.create(), password)).rejects.toEqual(named(error))
  })

  test('that nobody has are told apart from those that exist', async () => {
    const nobody = of('nobody')
    const operations = [
      new AdminGetUserCommand(nobody),
      new AdminDisableUserCommand(nobody),
      new AdminEnableUserCommand(nobody),
      new AdminDeleteUserCommand(nobody),
      new AdminUserGlobalSignOutCommand(nobody),
      new AdminSetUserPasswordCommand({ ...nobody, Password: PASSWORD, Permanent: true }),
    ]

    // Each command has its own input, so the union has no one overload.
    for (const operation of operations) {
      await expect(pool.client.send(operation as AdminGetUserCommand)).rejects.toEqual(named('UserNotFoundException'))
    }
  })

  test('are listed by an attribute and page by page', async () => {
    const username = await pool.create()
    const list = (over: object) => pool.client.send(new ListUsersCommand({ ...pool.inPool, ...over }))

    const { Users: [found] = [] } = await list({ Filter: `username = "${username}"` })
    const first = await list({ Limit: 1 })
    const second = await list({ Limit: 1, PaginationToken: first.PaginationToken })

    expect(found?.Username).toBe(username)
    expect(first.Users).toHaveLength(1)
    expect(second.Users?.[0]?.Username).not.toBe(first.Users?.[0]?.Username)
  })
})

test('another pool and another client do not exist', async () => {
  const username = await pool.user()

  await expect(pool.client.send(new DescribeUserPoolCommand({ UserPoolId: 'us-east-1_x' }))).rejects.toEqual(
    named('ResourceNotFoundException'),
  )
  await expect(pool.signIn(username, PASSWORD, { ClientId: 'other' })).rejects.toEqual(
    named('ResourceNotFoundException'),
  )
  expect(await pool.client.send(new DescribeUserPoolCommand(pool.inPool))).toMatchObject({
    UserPool: { Arn: pool.cognito.pool.arn, MfaConfiguration: 'OFF', UserPoolTier: 'ESSENTIALS' },
  })
})

describe('a restart', () => {
  test('keeps users, families, ids, key and issuer, in files that only their owner reads', async () => {
    const directory = temporaryDirectory()
    const before = await startCognito(directory)
    const username = await before.user()
    const { RefreshToken, AccessToken = '' } = await before.signIn(username)
    await before.kill()
    for (const file of ['cognito-pool.json', 'stand-ins.sqlite', 'cognito-issuer.json']) {
      expect(statSync(join(directory, file)).mode & 0o777, file).toBe(0o600)
    }

    const after = await startCognito(directory)

    expect(after.cognito.pool).toEqual(before.cognito.pool)
    await expect(after.signIn(username)).resolves.toHaveProperty('AccessToken')
    const fresh = await after.refresh(RefreshToken)
    expect(claimsIn(fresh.AccessToken).origin_jti).toBe(claimsIn(AccessToken).origin_jti)
    const keys = createRemoteJWKSet(new URL(`${after.cognito.pool.issuer}/.well-known/jwks.json`))
    await expect(jwtVerify(AccessToken, keys, { currentDate: new Date(0) })).resolves.toBeDefined()
    await after.stop()
  })

  test('no password and no token lies there in clear', async () => {
    const username = await pool.user()
    const { RefreshToken = '' } = await pool.signIn(username)
    pool.disk.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')

    const kept = readFileSync(join(pool.disk.directory, 'stand-ins.sqlite'))

    expect(kept.includes(username)).toBe(true)
    for (const secret of [PASSWORD, RefreshToken]) expect(kept.includes(secret)).toBe(false)
  })

  test('takes another port when its own is taken', async () => {
    const disk = openDisk(temporaryDirectory())
    const keys = await openPool(disk)
    const first = await openIssuer(disk, keys)
    await first.close()
    const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1')
    await new Promise((resolve) => squatter.once('listening', resolve))

    const second = await openCognito(disk, pool.clock)

    expect(second.pool.issuer).not.toBe(first.url)
    await second.close()
    await new Promise((resolve) => squatter.close(resolve))
    disk.close()
    rmSync(disk.directory, { recursive: true })
  })
})

test('its issuer serves the key set and nothing else', async () => {
  const { issuer } = pool.cognito.pool
  const answer = await fetch(`${issuer}/.well-known/jwks.json`)

  expect(await answer.json()).toEqual({
    keys: [{ alg: 'RS256', e: 'AQAB', kid: expect.any(String), kty: 'RSA', n: expect.any(String), use: 'sig' }],
  })
  for (const path of [issuer, `${new URL(issuer).origin}/.well-known/jwks.json`]) {
    expect((await fetch(path)).status).toBe(404)
  }
})

test('a revoked token names the client by its secret', async () => {
  const { RefreshToken } = await pool.signIn(await pool.user())
  const { clientId: ClientId } = pool.cognito.pool
  const revoke = (ClientSecret: string) =>
    pool.client.send(new RevokeTokenCommand({ ClientId, ClientSecret, Token: RefreshToken }))

  await expect(revoke('wrong')).rejects.toEqual(named('NotAuthorizedException'))
  await expect(pool.refresh(RefreshToken)).resolves.toHaveProperty('AccessToken')

  await revoke(pool.ClientSecret)
  await expect(pool.refresh(RefreshToken)).rejects.toMatchObject({ message: 'Refresh Token has been revoked' })
})
