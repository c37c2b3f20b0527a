// What acts in the name of a person: one list of all of it, and an end to all of it.
import * as client from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { auth } from '../../../functions/auth/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { mcpResource } from '../../../shared/identity/oauth/resources.ts'
import { Browser } from '../../support/browser.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { heldCommit } from '../../support/held-commit.ts'
import { PASSWORD } from '../../support/local-stack.ts'
import { mailsTo, tokenFor } from '../../support/mailbox.ts'
import { modern } from '../../support/mcp.ts'
import {
  agree,
  auditedActions,
  authorizationRequest,
  authorized,
  CODE_CLIENT,
  discovered,
  followClock,
  MACHINE,
  newClient,
} from '../../support/oauth.ts'
import { freshAddress, type Person, inPerson, personWith } from '../../support/people.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const ALL = [
  'api_keys',
  'oauth_clients',
  'registration_tokens',
  'sessions',
  'oauth_grants',
  'invitations',
  'open_requests',
]

const { plugin, hold } = heldCommit()
const local = useLocalStack({ plugins: [plugin] })
let acme: Governed
let owner: SignedIn
let ada: Person
beforeAll(async () => {
  followClock(local)
})
afterAll(() => {
  vi.restoreAllMocks()
})
beforeEach(async () => {
  acme = await governed(local)
  owner = await signIn(local, acme.owner)
  ada = await personWith(local, owner, ['admin'])
  local.clock.moveTo(local.clock.now() + 60_000) // an OAuth sign-in counts from the second after the one in which she joined
})

const look = async (id = ada.user_id, by = owner) => (await by.call(users.credentials, { params: { id } })).body
const revoke = (body: object, by: Pick<SignedIn, 'call'> = owner, id = ada.user_id) =>
  by.call(users.revokeCredentials, { params: { id }, body })

/** One of everything that can act for somebody. */
async function busy() {
  const body = { name: 'k', kind: 'live', scopes: ['agent:execute', 'governance:read'] }
  const { body: key } = await ada.call(keys.create, { body })
  const { body: service } = await ada.call(keys.create, { body: { ...body, service: true } })
  const machine = await newClient(ada, MACHINE)
  await ada.call(clients.createRegistrationToken, { body: { expires_in: 600 } })
  const config = await discovered(local, await newClient(acme))
  const { tokens } = await authorized(local, config, ada)
  const email = freshAddress()
  await ada.call(users.invite, { body: { email, roles: ['member'] } })
  const sink = await ada.call(webhooks.create, {
    body: { name: 'Sink', url: 'https://8.8.8.8/hook', events: ['invoice.paid'] },
  })
  const held = await acme.held('delete_contact', {}, { key: key.key })
  return { key, service, machine, config, tokens, email, sink: sink.body, held }
}

describe('GET /api/v1/users/{id}/credentials', () => {
  test('200: shows all of it, and no secret', async () => {
    const { key, service, machine, email, sink, held } = await busy()
    const shown = await look()

    expect(shown).toMatchObject({
      user_id: ada.user_id,
      user_status: 'active',
      oauth_clients: [{ client_id: machine.client_id, service: false }],
      registration_tokens: [{ id: expect.stringMatching(/^ort_/), expires_at: expect.any(String) }],
      sessions: [{ current: false }],
      oauth_grants: [{ id: expect.any(String), client_id: expect.stringMatching(/^cli_/) }],
      invitations: [{ email, roles: ['member'] }],
      webhook_secrets: [{ endpoint_id: sink.id, name: 'Sink', mode: 'live' }],
      open_requests: [{ approval_id: held.approval.id, action_id: 'delete_contact', mode: 'live' }],
      votes: [],
    })
    const ids = shown.api_keys.map(({ id }: { id: string }) => id)
    expect(new Set(ids)).toEqual(new Set([key.id, service.id]))
    for (const secret of [key.key, sink.secret, machine.client_secret]) {
      expect(JSON.stringify(shown)).not.toContain(secret)
    }
  })

  test('200: shows the votes on what waits for others', async () => {
    const approval = { stages: [{ groups: ['any'], min_approvals: 2 }] }
    await acme.policy({ name: 'two', effect: 'require_approval', scope: { action_ids: ['delete_contact'] }, approval })
    const held = await acme.held()
    await acme.approve(held.approval.id, {}, { key: ada.access_token })

    expect((await look()).votes).toMatchObject([{ approval_id: held.approval.id, decision: 'approve', stage: 0 }])
  })

  test('404: for nobody of the tenant', async () => {
    const other = await governed(local)
    const params = { id: other.owner.id }

    expect((await owner.call(users.credentials, { params })).status).toBe(404)
    expect((await owner.call(users.revokeCredentials, { params, body: { kinds: ALL } })).status).toBe(404)
  })
})

describe('POST /api/v1/users/{id}/credentials/revoke', () => {
  test('200: ends all of it at once, but what belongs to the tenant', async () => {
    const { key, service, config, tokens, email, held } = await busy()
    const link = await tokenFor(local, email, 'invitation')
    const reply = await revoke({ kinds: ALL })

    expect(reply, JSON.stringify(reply.body)).toMatchObject({
      status: 200,
      body: { user_id: ada.user_id, revoked: Object.fromEntries(ALL.map((kind) => [kind, 1])) },
    })
    const lists = async (credential: string) => (await local.call(protocol.listManifests, { key: credential })).status
    expect(await Promise.all([key.key, ada.access_token, tokens.access_token].map(lists))).toEqual([401, 401, 401])
    expect(await lists(service.key)).toBe(200)
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ status: 400 })
    const body = { token: link, password: PASSWORD }
    expect((await local.call(auth.resetPassword, { body })).status).toBe(401)
    expect(await acme.approval(held.approval.id)).toMatchObject({ status: 'cancelled' })
    expect(await look()).toMatchObject({
      api_keys: [{ id: service.id }],
      sessions: [],
      oauth_grants: [],
      invitations: [],
    })
  })

  test('200: sends one event with the counts; a repetition finds nothing', async () => {
    await busy()
    await revoke({ kinds: ALL })
    const again = await revoke({ kinds: ALL })

    expect(Object.values(again.body.revoked)).toEqual(ALL.map(() => 0))
    expect((await auditedActions(acme)).filter((one) => one === 'user.credentials_revoked')).toHaveLength(1)
    await local.drain()
    const { body: told } = await owner.call(events.list, { query: { types: 'user.credentials_revoked' } })
    expect(told.items).toMatchObject([{ data: { user_id: ada.user_id, api_keys: 1, sessions: 1, open_requests: 1 } }])
  })

  test('200: ends one of them, and nothing else', async () => {
    const { key, tokens } = await busy()
    const { oauth_grants } = await look()
    const reply = await revoke({ kinds: ['oauth_grants', 'api_keys'], ids: [oauth_grants[0].id] })

    expect(reply.body.revoked).toEqual({ oauth_grants: 1, api_keys: 0 })
    const statuses = [tokens.access_token, key.key, ada.access_token].map(
      async (credential) => (await local.call(protocol.listManifests, { key: credential })).status,
    )
    expect(await Promise.all(statuses)).toEqual([401, 200, 200])
  })

  test('200: an invitation that was revoked is made anew by inviting again', async () => {
    const email = freshAddress()
    await ada.call(users.invite, { body: { email, roles: ['member'] } })
    const accept = async (token: string) =>
      (await local.call(auth.resetPassword, { body: { token, password: PASSWORD } })).status
    const former = await tokenFor(local, email, 'invitation')
    await revoke({ kinds: ['invitations'] })
    expect(await accept(former)).toBe(401)
    await local.call(auth.forgotPassword, { body: { email } })
    expect((await mailsTo(local, email)).map(({ kind }) => kind)).toEqual(['invitation'])
    expect((await owner.call(users.invite, { body: { email, roles: ['member'] } })).status).toBe(200)

    expect(await accept(former)).toBe(401)
    expect(await accept(await tokenFor(local, email, 'invitation'))).toBe(200)
  })

  test('403: of somebody who may do more', async () => {
    const admin = await personWith(local, owner, ['admin'])

    expect((await revoke({ kinds: ALL }, admin, owner.user_id)).status).toBe(403)
    expect((await revoke({ kinds: ['sessions'] }, admin)).status).toBe(200)
  })

  test.each([
    ['nothing', { kinds: [] }],
    ['what cannot be revoked', { kinds: ['votes'] }],
    ['no ids', { kinds: ['sessions'], ids: [] }],
    ['a field of its own', { kinds: ['sessions'], all: true }],
  ])('422: refuses %s', async (_, body) => {
    expect((await revoke(body)).status).toBe(422)
  })
})

describe('who acts in her name after', () => {
  const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'
  const CLI = { name: 'cli', type: 'public', grant_types: [DEVICE], scopes: ['openid'] }

  const post = (path: string, form: Record<string, string>) =>
    fetch(`${local.appUrl}${path}`, { method: 'POST', body: new URLSearchParams(form) })

  /** A device that she has allowed, and that has not fetched its token yet. */
  async function device(browser: Browser) {
    const { client_id } = await newClient(acme, CLI)
    const asked = await post('/oauth/device_authorization', { client_id, scope: 'openid' })
    const { device_code, user_code } = (await asked.json()) as Record<string, string>
    const typed = await browser.submit(await browser.open(`${local.appUrl}/oauth/device`), {
      user_code: user_code ?? '',
    })
    let place = await browser.submit(typed, {})
    if (place.text.includes('<h1>Sign in</h1>'))
      place = await browser.press(place, 'password', { email: ada.email, password: PASSWORD })
    await browser.press(place, 'allow')
    return { grant_type: DEVICE, client_id, device_code: device_code ?? '' }
  }

  /** Everything of hers, and how it is seen whether it still acts. */
  async function all() {
    const { key, tokens, config, held } = await busy()
    const agentic = await discovered(
      local,
      await newClient(acme, { ...CODE_CLIENT, scopes: ['openid', 'agent:execute'] }),
    )
    const tools = await authorized(local, agentic, ada, {
      scope: 'openid agent:execute',
      resource: mcpResource(acme.tenant_id),
    })
    const browser = new Browser(local.appUrl)
    const login = await authorizationRequest(config, { scope: 'openid' })
    await agree(browser, login.url, ada)
    const polls = await device(new Browser(local.appUrl))
    const ben = await personWith(local, owner, ['approver'])
    const until = new Date(local.clock.now() + 86_400_000).toISOString()
    const away = { body: { to_user_id: ben.user_id, until } }
    const given = await inPerson(local, ada, () => ada.call(approvals.createDelegation, away))
    local.clock.moveTo(local.clock.now() + 2_000)
    const isTaken = async (credential: string) =>
      (await local.call(protocol.listManifests, { key: credential })).status === 200
    const agent = { call: local.call, tenant_id: acme.tenant_id }
    const params = { id: given.body.id }
    const probes = {
      session: () => isTaken(ada.access_token),
      access_token: () => isTaken(tokens.access_token),
      refresh_token: () =>
        client.refreshTokenGrant(config, tokens.refresh_token ?? '').then(
          () => true,
          () => false,
        ),
      login: async () => !(await browser.open(login.url.href)).text.includes('<h1>Sign in</h1>'),
      mcp_token: async () => (await modern(agent, 'tools/list', {}, { key: tools.tokens.access_token })).status === 200,
      device: async () => (await post('/oauth/token', polls)).status === 200,
      api_key: () => isTaken(key.key),
      open_request: async () => (await acme.approval(held.approval.id)).status === 'pending',
      delegation: async () => (await owner.call(approvals.getDelegation, { params })).body.status === 'active',
    }
    return { client_id: config.clientMetadata().client_id, probes }
  }

  const update = (status: string) => {
    const change = { params: { id: ada.user_id }, body: { status } }
    return inPerson(local, owner, () => owner.call(users.update, change))
  }
  const directory = (active: boolean) =>
    acme.call(scim.patchUser, {
      params: { id: ada.user_id },
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', value: { active } }],
      },
    })

  const EVERYTHING = [
    'session',
    'access_token',
    'refresh_token',
    'login',
    'mcp_token',
    'device',
    'api_key',
    'open_request',
    'delegation',
  ]

  test.each<[string, (client_id: string) => Promise<unknown>, string[]]>([
    ['nothing has changed: everything', () => ada.call(auth.me), EVERYTHING],
    ['suspension: nothing', () => update('suspended'), []],
    ['removal: nothing', () => owner.call(users.delete, { params: { id: ada.user_id } }), []],
    ['a directory has disabled her: nothing', () => directory(false), []],
    [
      'suspension and her return: what is not a sign-in, and what she gave to others',
      async () => (await update('suspended')) && update('active'),
      ['delegation'],
    ],
    [
      'a new password: the session that it comes from, and what no password opens',
      () =>
        ada.call(auth.changePassword, {
          body: { current_password: PASSWORD, new_password: 'another good battery staple' },
        }),
      ['session', 'api_key', 'open_request', 'delegation'],
    ],
    [
      'the end of a connection: all but that client',
      (client_id) => ada.call(auth.disconnectApplication, { params: { client_id } }),
      ['session', 'login', 'mcp_token', 'device', 'api_key', 'open_request', 'delegation'],
    ],
  ])('%s', async (_, change, expected) => {
    const { client_id, probes } = await all()
    expect(await change(client_id)).toMatchObject({ status: expect.toBeOneOf([200, 204]) })

    const still = await Promise.all(Object.entries(probes).map(async ([name, acts]) => ((await acts()) ? [name] : [])))
    expect(still.flat()).toEqual(expected)
  })
})

describe('what an application asked for in her name', () => {
  const ASKING = { ...CODE_CLIENT, scopes: ['openid', 'offline_access', 'agent:execute'] }
  const scope = 'openid offline_access agent:execute'

  /** An application, and what it has asked for. */
  async function asking() {
    const config = await discovered(local, await newClient(acme, ASKING))
    const { client_id } = config.clientMetadata()
    const { tokens } = await authorized(local, config, ada, { scope })
    const held = await acme.held('delete_contact', {}, { key: tokens.access_token })
    expect(await acme.approval(held.approval.id)).toMatchObject({ status: 'pending', client_id })
    return { config, client_id, tokens, held }
  }
  type Asking = Awaited<ReturnType<typeof asking>>

  const ENDS: [string, (of: Asking) => Promise<unknown>, string][] = [
    [
      'she disconnects it',
      ({ client_id }) => ada.call(auth.disconnectApplication, { params: { client_id } }),
      'the access of the application was ended',
    ],
    [
      'an administrator disconnects it',
      ({ client_id }) => owner.call(users.disconnectApplication, { params: { id: ada.user_id, client_id } }),
      'the access of the application was ended',
    ],
    [
      'an administrator revokes what she granted',
      () => revoke({ kinds: ['oauth_grants'] }),
      'the credentials of the requester were revoked',
    ],
    [
      'the client is disabled',
      ({ client_id }) => acme.call(clients.update, { params: { client_id }, body: { status: 'disabled' } }),
      'the OAuth client was disabled',
    ],
    [
      'the client is deleted',
      ({ client_id }) => acme.call(clients.delete, { params: { client_id } }),
      'the OAuth client was deleted',
    ],
  ]

  test.each(ENDS)('is cancelled when %s, and nothing else of hers', async (_, end, reason) => {
    const asked = await asking()
    const own = await acme.held('delete_contact', {}, { key: ada.access_token })
    const told = await acme.told(async () => {
      expect(await end(asked)).toMatchObject({ status: expect.toBeOneOf([200, 204]) })
    })

    expect(await acme.approval(asked.held.approval.id)).toMatchObject({ status: 'cancelled', method: 'cancelled' })
    expect(told.find(({ type }) => type === 'action.rejected')).toMatchObject({ data: { reason } })
    expect(await acme.approve(asked.held.approval.id)).toMatchObject({ status: 409 })
    expect(await acme.approval(own.approval.id)).toMatchObject({ status: 'pending' })
  })

  const ENDED = 'the access of the application that asked for it was ended'

  test.each<[string, (of: Asking) => Promise<unknown>, string]>([
    [
      'the application gives its access back',
      ({ config, tokens }) => client.tokenRevocation(config, tokens.access_token),
      ENDED,
    ],
    [
      'the application gives its refresh token back',
      ({ config, tokens }) => client.tokenRevocation(config, tokens.refresh_token ?? ''),
      ENDED,
    ],
    ['she is signed out everywhere', () => owner.call(users.deleteSessions, { params: { id: ada.user_id } }), ENDED],
  ])('is refused, and shown as moot, after %s', async (_, end, reason) => {
    const asked = await asking()
    await end(asked)

    expect(await acme.approval(asked.held.approval.id)).toMatchObject({ status: 'pending', moot: reason })
    expect(await acme.approve(asked.held.approval.id)).toMatchObject({
      status: 409,
      body: { detail: `This approval is no longer valid: ${reason}. The action is now refused.` },
    })
    expect(await acme.look(asked.held.receipt.request_id)).toMatchObject({ status: 'rejected' })
  })

  test('runs when only the browser signed out, and when it is asked again after she has connected it again', async () => {
    const { client_id, config, held } = await asking()
    const browser = new Browser(local.appUrl)
    await agree(browser, (await authorizationRequest(config, { scope })).url, ada)
    await browser.submit(await browser.open(`${local.appUrl}/oauth/logout`), { logout: 'yes' })
    const { body: first } = await acme.approve(held.approval.id)
    await ada.call(auth.disconnectApplication, { params: { client_id } })
    local.clock.moveTo(local.clock.now() + 1_000)
    const { tokens } = await authorized(local, config, ada, { scope })
    const again = await acme.held('delete_contact', {}, { key: tokens.access_token })
    const { body: second } = await acme.approve(again.approval.id)

    expect([first, second]).toMatchObject([
      { execution: { status: 'executed' } },
      { execution: { status: 'executed' } },
    ])
  })
})

test('what a client asked for itself is cancelled when it is disabled', async () => {
  const config = await discovered(local, await newClient(acme, { ...MACHINE, scopes: ['agent:execute'] }))
  const { client_id } = config.clientMetadata()
  const { access_token: key } = await client.clientCredentialsGrant(config)
  const held = await acme.held('delete_contact', {}, { key })
  await acme.call(clients.update, { params: { client_id }, body: { status: 'disabled' } })

  expect(await acme.approval(held.approval.id)).toMatchObject({ status: 'cancelled' })
})

describe('what is asked in the moment in which access ends', () => {
  test.each<[string, (key: { id: string }) => Promise<unknown>, 'api_key' | 'session', string]>([
    [
      'the API key is revoked',
      ({ id }) => ada.call(keys.revoke, { params: { id }, body: {} }),
      'api_key',
      'the API key that asked for it was revoked',
    ],
    [
      'she is suspended',
      () => owner.call(users.update, { params: { id: ada.user_id }, body: { status: 'suspended' } }),
      'session',
      'the person who asked for it has no access any more',
    ],
  ])('is refused: %s', async (_, end, by, reason) => {
    const body = { name: 'k', kind: 'live', scopes: ['agent:execute'] }
    const { body: made } = await ada.call(keys.create, { body })
    const arrived = hold('action.requested')
    const asked = acme.held('delete_contact', {}, { key: by === 'api_key' ? made.key : ada.access_token })
    const letGo = await arrived
    expect(await end(made)).toMatchObject({ status: 200 })
    letGo()
    const { approval, receipt } = await asked

    expect(await acme.approval(approval.id)).toMatchObject({ status: 'pending', moot: reason })
    expect(await acme.approve(approval.id)).toMatchObject({ status: 409 })
    expect(await acme.look(receipt.request_id)).toMatchObject({
      status: 'rejected',
      detail: expect.stringContaining(reason),
    })
  })
})
