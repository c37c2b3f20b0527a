import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { allowlist } from '../../../functions/allowlist/routes.ts'
import { approvals } from '../../../functions/approvals/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { put } from '../../../shared/identity/artefacts/store.ts'
import { oauthClients } from '../../../shared/identity/oauth/clients/client.ts'
import { Browser } from '../../support/browser.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import {
  agree,
  auditedActions,
  authorizationRequest,
  authorized,
  CALLBACK,
  CODE_CLIENT,
  discovered,
  followClock,
  MACHINE,
  newClient,
} from '../../support/oauth.ts'
import { claimsOf, ownerInPerson, signIn } from '../../support/sign-in.ts'
import { rewrite } from '../../support/rewrite.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const CONFIDENTIAL = { ...CODE_CLIENT, type: 'confidential' }

const local = useLocalStack()
let acme: TestTenant
let config: client.Configuration

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
  config = await discovered(local, await newClient(acme, CONFIDENTIAL))
})
afterAll(() => {
  vi.restoreAllMocks()
})

const refused = (error: string) => expect.objectContaining({ error })
/** Tokens tell whole seconds, and of the second in which everything ends none is accepted. */
const nextSecond = () => local.clock.moveTo(local.clock.now() + 1_000)

const statusWith = async (key: string) => (await acme.as({ key }).call(approvals.list)).status

test('an access token ends with its grant', async () => {
  const { tokens } = await authorized(local, config, acme.owner)
  expect(await statusWith(tokens.access_token)).toBe(200)
  await client.tokenRevocation(config, tokens.refresh_token ?? '')

  expect(await statusWith(tokens.access_token)).toBe(401)
  expect(await client.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
})

describe('introspection', () => {
  test('says of refresh tokens and of access tokens alike whether they are alive', async () => {
    const { tokens } = await authorized(local, config, acme.owner)

    const [refresh, access] = await Promise.all([
      client.tokenIntrospection(config, tokens.refresh_token ?? ''),
      client.tokenIntrospection(config, tokens.access_token),
    ])

    expect(refresh).toMatchObject({ active: true, sub: acme.owner.id, client_id: config.clientMetadata().client_id })
    expect(access).toMatchObject({ active: true, sub: acme.owner.id, tenant_id: acme.tenant_id, token_type: 'Bearer' })
  })

  test('says nothing about a token of another tenant, a changed or an unknown one', async () => {
    const other = await local.tenant()
    const theirs = await discovered(local, await newClient(other, MACHINE))
    const { access_token: foreign } = await client.clientCredentialsGrant(theirs)
    const { access_token: own } = await authorized(local, config, acme.owner).then(({ tokens }) => tokens)

    for (const token of [foreign, `${own.slice(0, -4)}AAAA`, 'unknown', own.replace(/\.[^.]+$/, '.')]) {
      expect(await client.tokenIntrospection(config, token)).toEqual({ active: false })
    }
  })

  test('asks the client to prove itself', async () => {
    const { client_id } = config.clientMetadata()
    const wrong = await discovered(local, { client_id, client_secret: 'wrong' })

    await expect(client.tokenIntrospection(wrong, 'x.y.z')).rejects.toMatchObject({ status: 401 })
  })
})

describe('what ends tokens', () => {
  test('a revoked refresh token is over, and so is its grant', async () => {
    const { tokens } = await authorized(local, config, acme.owner)
    const token = tokens.refresh_token ?? ''

    await client.tokenRevocation(config, token)

    await expect(client.refreshTokenGrant(config, token)).rejects.toEqual(refused('invalid_grant'))
    expect(await client.tokenIntrospection(config, token)).toEqual({ active: false })
  })

  test('a revoked access token is over, and so is the grant with its refresh token', async () => {
    const { tokens } = await authorized(local, config, acme.owner)

    await client.tokenRevocation(config, tokens.access_token)
    await client.tokenRevocation(config, tokens.access_token)

    expect(await statusWith(tokens.access_token)).toBe(401)
    const token = tokens.refresh_token ?? ''
    await expect(client.refreshTokenGrant(config, token)).rejects.toEqual(refused('invalid_grant'))
  })

  test('a client cannot revoke the access token of another one', async () => {
    const { tokens } = await authorized(local, config, acme.owner)
    const other = await discovered(local, await newClient(acme, CONFIDENTIAL))

    await client.tokenRevocation(other, tokens.access_token)

    expect(await statusWith(tokens.access_token)).toBe(200)
  })

  test('a token of a client itself ends alone, and only its client can end it', async () => {
    const [machine, other] = [
      await discovered(local, await newClient(acme, MACHINE)),
      await discovered(local, await newClient(acme, MACHINE)),
    ]
    const [{ access_token: one }, { access_token: another }] = [
      await client.clientCredentialsGrant(machine),
      await client.clientCredentialsGrant(machine),
    ]
    expect(await statusWith(one)).toBe(200) // from now on the client is remembered
    await client.tokenRevocation(other, one)
    expect(await statusWith(one)).toBe(200)

    await client.tokenRevocation(machine, one)
    await client.tokenRevocation(machine, one)

    expect([await statusWith(one), await statusWith(another)]).toEqual([401, 200])
    expect(await client.tokenIntrospection(machine, one)).toEqual({ active: false })
    expect(await client.tokenIntrospection(machine, another)).toMatchObject({ active: true })
    expect((await auditedActions(acme)).filter((action) => action === 'oauth_token.revoked')).toHaveLength(1)
    expect(await statusWith((await client.clientCredentialsGrant(machine)).access_token)).toBe(200)
  })

  test('a token of a client itself that another container has ended is over at once, too', async () => {
    const made = await newClient(acme, MACHINE)
    const { access_token: key } = await client.clientCredentialsGrant(await discovered(local, made))
    expect(await statusWith(key)).toBe(200)

    // Written past the memory of this container.
    const { table } = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
    const { jti, exp } = claimsOf(key)
    await table.commit([
      put(table, { model: 'EndedToken', id: String(jti), payload: {}, exp: Number(exp) }),
      oauthClients.update(made, { set: { ends_tokens: true } }),
    ])

    expect(await statusWith(key)).toBe(401)
  })

  test('a suspended person ends with the next request, everywhere', async () => {
    const { tokens } = await authorized(local, config, acme.approver)
    const owner = await ownerInPerson(local, acme)
    const { id } = acme.approver

    await owner.call(users.update, { params: { id }, body: { status: 'suspended' } })

    expect(await statusWith(tokens.access_token)).toBe(401)
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toEqual(refused('invalid_grant'))
    expect((await local.call(oauth.userinfo, { key: tokens.access_token })).status).toBe(401)
    expect(await client.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
    await owner.call(users.update, { params: { id }, body: { status: 'active' } })
    nextSecond()
  })

  test('access to a closed tenant ends, also where a token only names a person', async () => {
    const closing = await local.tenant()
    const own = await discovered(local, await newClient(closing, CONFIDENTIAL))
    const { tokens } = await authorized(local, own, closing.owner)
    const owner = await signIn(local, closing.owner)
    const params = { tenant_id: closing.tenant_id }
    const { body } = await owner.call(tenants.get, { params })
    const who = async () => (await local.call(oauth.userinfo, { key: tokens.access_token })).status
    const before = await who()

    await owner.call(tenants.close, { params, body: { confirm: body.name } })

    expect([before, await who()]).toEqual([200, 401])
  })

  test('a token that comes twice in one request reveals nothing', async () => {
    const { tokens } = await authorized(local, config, acme.owner)
    const body = new URLSearchParams({ access_token: tokens.access_token }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const twice = await local.call(oauth.userinfoForm, { key: tokens.access_token, body, headers })

    expect(twice).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect((await local.call(oauth.userinfoForm, { body, headers })).status).toBe(200)
  })

  test.each([
    ['application/x-www-form-urlencoded; charset=utf8', 200],
    ['Application/X-WWW-Form-Urlencoded ; CharSet="UTF-8";', 200],
    ['application/x-www-form-urlencoded; charset=iso-8859-1', 401],
    ['application/x-www-form-urlencoded-not', 401],
  ])('the forms of OAuth are read by the same rule as all others: %s', async (type, status) => {
    const { tokens } = await authorized(local, config, acme.owner)
    const headers = { 'content-type': type }
    const post = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
    const shown = await local.call(oauth.userinfoForm, { body: post({ access_token: tokens.access_token }), headers })
    const answer = await local.call(oauth.token, {
      body: post({ grant_type: 'refresh_token', refresh_token: 'x', client_id: config.clientMetadata().client_id }),
      headers,
    })

    expect(shown.status).toBe(status)
    expect(answer).toMatchObject({ body: { error: status === 200 ? 'invalid_client' : 'invalid_request' } })
  })

  test('a token reveals nothing at an address from which the tenant lets nobody in', async () => {
    const tenant = await local.tenant()
    const own = await discovered(local, await newClient(tenant, CONFIDENTIAL))
    const { tokens } = await authorized(local, own, tenant.owner)
    const params = { tenant_id: tenant.tenant_id }
    await tenant.call(allowlist.create, { params, body: { cidr: '127.0.0.1' } })
    const from = async (ip: string) => (await local.call(oauth.userinfo, { key: tokens.access_token, ip })).status

    expect([await from('127.0.0.1'), await from('127.0.0.2')]).toEqual([200, 403])
  })

  test('a refresh token and the login of a browser are worth nothing there, a code what it says', async () => {
    const tenant = await local.tenant()
    const own = await discovered(local, await newClient(tenant, CODE_CLIENT))
    const [kept, browser, asked] = [
      await authorized(local, own, tenant.owner),
      new Browser(local.appUrl),
      await authorizationRequest(own),
    ]
    const place = await agree(browser, asked.url, tenant.owner)
    await tenant.call(allowlist.create, { params: { tenant_id: tenant.tenant_id }, body: { cidr: '127.0.0.1' } })
    const post = async (body: object, ip: string) => {
      const sent = new URLSearchParams({ client_id: own.clientMetadata().client_id, ...body }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return (await local.call(oauth.token, { body: sent, headers, ip })).status
    }
    const refresh = { grant_type: 'refresh_token', refresh_token: kept.tokens.refresh_token }
    const code = new URL(place.url).searchParams.get('code')
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: asked.verifier }

    expect(await post(exchange, '127.0.0.2')).toBe(200)
    expect([await post(refresh, '127.0.0.2'), await post(refresh, '127.0.0.1')]).toEqual([400, 200])
    browser.ip = '127.0.0.2'
    expect((await browser.open((await authorizationRequest(own)).url.href)).text).toContain('<h1>Sign in</h1>')
    browser.ip = '127.0.0.1'
    expect((await browser.open((await authorizationRequest(own)).url.href)).text).toContain('<h1>Give access?</h1>')
  })

  test('signing a person out everywhere ends the tokens from before, not those from afterwards', async () => {
    const { tokens: before } = await authorized(local, config, acme.approver)
    const owner = await signIn(local, acme.owner)

    await owner.call(users.deleteSessions, { params: { id: acme.approver.id } })
    nextSecond()
    const { tokens: after } = await authorized(local, config, acme.approver)

    expect(await statusWith(before.access_token)).toBe(401)
    expect(await statusWith(after.access_token)).toBe(200)
    await expect(client.refreshTokenGrant(config, before.refresh_token ?? '')).rejects.toEqual(refused('invalid_grant'))
  })

  test('a role that is taken away is gone with the next request', async () => {
    const { tokens } = await authorized(local, config, acme.approver)
    const owner = await ownerInPerson(local, acme)
    const become = (roles: string[]) =>
      owner.call(users.setRoles, { params: { id: acme.approver.id }, body: { roles } })

    expect(await statusWith(tokens.access_token)).toBe(200)
    await become(['billing'])
    expect(await statusWith(tokens.access_token)).toBe(403)
    await become(['approver'])
  })

  test('a disabled client gets nothing at once, and its tokens end at once', async () => {
    const made = await newClient(acme, MACHINE)
    const machine = await discovered(local, made)
    const { access_token: key } = await client.clientCredentialsGrant(machine)
    expect(await statusWith(key)).toBe(200)

    const params = { client_id: made.client_id }
    await acme.call(clients.update, { params, body: { status: 'disabled' } })
    await expect(client.clientCredentialsGrant(machine)).rejects.toMatchObject({ status: 401 })

    expect(await statusWith(key)).toBe(401)
  })

  test('a client that another container has disabled is refused at once, too', async () => {
    const made = await newClient(acme, MACHINE)
    const { access_token: key } = await client.clientCredentialsGrant(await discovered(local, made))
    expect(await statusWith(key)).toBe(200)

    // Written past the memory of this container.
    await rewrite(oauthClients, made, { status: 'disabled' })

    expect(await statusWith(key)).toBe(401)
  })

  test('a deleted client takes everything with it that was granted to it', async () => {
    const made = await newClient(acme, CONFIDENTIAL)
    const doomed = await discovered(local, made)
    const { tokens } = await authorized(local, doomed, acme.owner)

    await acme.call(clients.delete, { params: { client_id: made.client_id } })

    await expect(client.refreshTokenGrant(doomed, tokens.refresh_token ?? '')).rejects.toMatchObject({ status: 401 })
    expect(await statusWith(tokens.access_token)).toBe(401)
  })
})
