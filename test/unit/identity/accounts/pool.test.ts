// `npm run test:aws` runs these cases against a real pool: what the stand-in promises of Cognito is proven nowhere else.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemContext } from '../../../../shared/base/context.ts'
import { env } from '../../../../shared/base/lib/runtime.ts'
import { createTicket } from '../../../../shared/identity/sessions/ticket.ts'
import {
  checkPassword,
  createPoolUser,
  deletePoolUser,
  disablePoolUser,
  enablePoolUser,
  mintForTicket,
  type PoolTokens,
  refreshPoolTokens,
  revokePoolToken,
  setPoolEmail,
  setPoolPassword,
  signOutPoolUser,
} from '../../../../shared/identity/accounts/pool.ts'
import type { User } from '../../../../shared/identity/accounts/user.ts'
import { changePerson, IP, newPerson, newSpace, openPool, PASSWORD, verified } from '../../../support/pool.ts'

let stop: () => Promise<void>
beforeAll(async () => {
  stop = await openPool()
})
afterAll(() => stop())

const signIn = async ({ username }: User, password = PASSWORD): Promise<PoolTokens> => {
  const tokens = await checkPassword(username, password, IP)
  if (tokens === 'refused') throw new Error('refused')
  return tokens
}
const ticketFor = ({ id, tenant_id }: User) => createTicket(systemContext({ tenant_id, mode: 'live' }), id)

describe('creating', () => {
  test('may be repeated: the same username is the same user', async () => {
    const { tenant_id } = newSpace()
    const user = { username: randomUUID(), tenant_id, email: 'repeated@countersign.example' }

    expect(await createPoolUser(user)).toBe(await createPoolUser(user))
  })

  test('one address may have accounts in several tenants', async () => {
    const email = 'twice@countersign.example'
    const create = () => createPoolUser({ username: randomUUID(), tenant_id: newSpace().tenant_id, email })

    expect(await create()).not.toBe(await create())
  })

  test('an account without an address can get one, and lose it', async () => {
    const username = randomUUID()
    await createPoolUser({ username, tenant_id: newSpace().tenant_id, email: null })

    await setPoolEmail(username, 'later@countersign.example')
    await setPoolEmail(username, null)
  })

  test.each(['short', ' starts with a space', 'x'.repeat(257)])('the password %j is refused', async (password) => {
    const { username } = await newPerson()

    await expect(setPoolPassword(username, password)).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe('a sign-in by password', () => {
  test('gives an access token that says who the account is', async () => {
    const user = await newPerson(newSpace(), { roles: ['owner', 'approver'], group_roles: ['approver', 'auditor'] })

    const { access_token, session_id, expires_in } = await signIn(user)

    const claims = await verified(access_token)
    expect(claims).toMatchObject({
      iss: env('COGNITO_ISSUER'),
      sub: user.id,
      email: user.email,
      tenant_id: user.tenant_id,
      roles: ['owner', 'approver', 'auditor'],
      token_use: 'access',
      username: user.username,
      client_id: env('COGNITO_CLIENT_ID'),
      aud: env('COGNITO_CLIENT_ID'),
      origin_jti: session_id,
    })
    expect(Number(claims.exp) - Number(claims.iat)).toBe(900)
    expect(expires_in).toBe(900)
    expect(String(claims.scope)).not.toContain('aws.cognito.signin.user.admin')
    for (const name of ['jti', 'event_id', 'auth_time']) expect(claims).toHaveProperty(name)
  })

  test('each has a session of its own', async () => {
    const user = await newPerson()
    const [one, other] = [await signIn(user), await signIn(user)]

    expect(one.session_id).not.toBe(other.session_id)
  })

  test('a wrong password and a username that nobody has are refused alike', async () => {
    const { username } = await newPerson()

    expect(await checkPassword(username, 'wrong horse battery staple', IP)).toBe('refused')
    expect(await checkPassword(randomUUID(), PASSWORD, IP)).toBe('refused')
  })

  test('a user without a password yet is refused', async () => {
    const username = randomUUID()
    await createPoolUser({ username, tenant_id: newSpace().tenant_id, email: null })

    expect(await checkPassword(username, PASSWORD, IP)).toBe('refused')
  })

  test.each(['invited', 'suspended', 'deleted'] as const)('an account that is %s is refused', async (status) => {
    const { username } = await newPerson(newSpace(), { status })

    expect(await checkPassword(username, PASSWORD, IP)).toBe('refused')
  })

  test('an account without an address is refused', async () => {
    const { username } = await newPerson(newSpace(), { email: null })

    expect(await checkPassword(username, PASSWORD, IP)).toBe('refused')
  })

  test('a disabled user is refused until enabled again', async () => {
    const { username } = await newPerson()

    await disablePoolUser(username)
    expect(await checkPassword(username, PASSWORD, IP)).toBe('refused')

    await enablePoolUser(username)
    expect(await checkPassword(username, PASSWORD, IP)).toMatchObject({ expires_in: 900 })
  })

  test('takes the new password, and no longer the old one', async () => {
    const user = await newPerson()

    await setPoolPassword(user.username, 'another horse battery staple')

    expect(await checkPassword(user.username, PASSWORD, IP)).toBe('refused')
    expect(await signIn(user, 'another horse battery staple')).toMatchObject({ expires_in: 900 })
  })
})

describe('a refresh', () => {
  test('belongs to the same session and says what the account is by now', async () => {
    const user = await newPerson()
    const tokens = await signIn(user)

    await changePerson(user, { roles: ['auditor'] })
    const fresh = await refreshPoolTokens(tokens.refresh_token)

    if (fresh === 'revoked') throw new Error('revoked')
    expect(await verified(fresh.access_token)).toMatchObject({ roles: ['auditor'], origin_jti: tokens.session_id })
    expect(fresh.expires_in).toBe(900)
  })

  test('works any number of times with the one token', async () => {
    const { refresh_token } = await signIn(await newPerson())

    for (let time = 0; time < 3; time += 1) expect(await refreshPoolTokens(refresh_token)).not.toBe('revoked')
  })

  test('ends with the account, before the pool knows of it', async () => {
    const user = await newPerson()
    const { refresh_token } = await signIn(user)

    await changePerson(user, { status: 'suspended' })

    expect(await refreshPoolTokens(refresh_token)).toBe('revoked')
  })

  test('of a revoked token is refused; other sessions go on', async () => {
    const user = await newPerson()
    const [one, other] = [await signIn(user), await signIn(user)]

    await revokePoolToken(one.refresh_token)
    await revokePoolToken(one.refresh_token)

    expect(await refreshPoolTokens(one.refresh_token)).toBe('revoked')
    expect(await refreshPoolTokens(other.refresh_token)).not.toBe('revoked')
  })

  test.each([
    ['signed out', signOutPoolUser],
    ['disabled', disablePoolUser],
    ['deleted', deletePoolUser],
  ] as const)('is refused once the user is %s', async (_, end) => {
    const user = await newPerson()
    const { refresh_token } = await signIn(user)

    await end(user.username)

    expect(await refreshPoolTokens(refresh_token)).toBe('revoked')
  })

  test('of something that is no token is refused', async () => {
    expect(await refreshPoolTokens('bm90IGEgdG9rZW4')).toBe('revoked')
  })
})

describe('a sign-in by ticket', () => {
  test('gives the tokens that a password gives', async () => {
    const user = await newPerson()

    const tokens = await mintForTicket(user.username, await ticketFor(user))

    expect(await verified(tokens.access_token)).toMatchObject({ sub: user.id, origin_jti: tokens.session_id })
    expect(await refreshPoolTokens(tokens.refresh_token)).not.toBe('revoked')
  })

  test('works once', async () => {
    const user = await newPerson()
    const ticket = await ticketFor(user)
    await mintForTicket(user.username, ticket)

    await expect(mintForTicket(user.username, ticket)).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  test('of five at once with the same ticket one works', async () => {
    const user = await newPerson()
    const ticket = await ticketFor(user)

    const tries = await Promise.allSettled([1, 2, 3, 4, 5].map(() => mintForTicket(user.username, ticket)))

    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('refuses made-up tickets and those of others', async () => {
    const [anna, bert] = [await newPerson(), await newPerson()]

    for (const ticket of ['made-up', await ticketFor(bert)]) {
      await expect(mintForTicket(anna.username, ticket)).rejects.toMatchObject({ kind: 'unauthenticated' })
    }
  })

  test('refuses accounts that are not active, and usernames that nobody has', async () => {
    const user = await newPerson(newSpace(), { status: 'suspended' })

    for (const username of [user.username, randomUUID()]) {
      const ticket = await ticketFor(user)
      await expect(mintForTicket(username, ticket)).rejects.toMatchObject({ kind: 'unauthenticated' })
    }
  })
})

test.each([disablePoolUser, deletePoolUser, signOutPoolUser])('%o of a user that is gone is no error', async (end) => {
  await expect(end(randomUUID())).resolves.toBeUndefined()
})
