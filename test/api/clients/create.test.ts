import { beforeAll, describe, expect, test } from 'vitest'
import { clients } from '../../../functions/clients/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { permissionsOfRoles } from '../../../shared/base/catalog/permissions.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { auditedActions, CODE_CLIENT, MACHINE } from '../../support/oauth.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant

beforeAll(async () => {
  acme = await local.tenant()
})

const create = (body: object, key?: string) => acme.call(clients.create, { body, key: key ?? acme.live_key })
const at = (...loc: (string | number)[]) => ({
  status: 422,
  body: { detail: [expect.objectContaining({ loc: ['body', ...loc] })] },
})

describe('POST /api/v1/oauth/clients', () => {
  test('201: a confidential client gets a secret, which is shown here only', async () => {
    const made = await create(MACHINE)
    const params = { client_id: made.body.client_id }
    const { body: shown } = await acme.call(clients.get, { params })

    expect(made).toMatchObject({
      status: 201,
      headers: { location: `/api/v1/oauth/clients/${made.body.client_id}` },
      body: {
        client_id: expect.stringMatching(/^cli_/),
        client_secret: expect.stringMatching(/^[\w-]{43}$/),
        status: 'active',
      },
    })
    expect(shown).not.toHaveProperty('client_secret')
    expect(JSON.stringify(shown)).not.toContain(made.body.client_secret)
    expect(await auditedActions(acme)).toContain('oauth_client.created')
  })

  test('201: a public client has no secret, and proves itself by PKCE alone', async () => {
    const { body } = await create(CODE_CLIENT)

    expect(body).toMatchObject({
      type: 'public',
      token_endpoint_auth_method: 'none',
      mode: 'live',
      skip_consent: false,
    })
    expect(body).not.toHaveProperty('client_secret')
  })

  test('201: the same request again gets the same client and secret', async () => {
    const headers = { 'idempotency-key': 'once' }
    const [first, second] = [
      await acme.call(clients.create, { body: MACHINE, headers }),
      await acme.call(clients.create, { body: MACHINE, headers }),
    ]

    expect(second.headers['idempotent-replayed']).toBe('true')
    expect(second.body).toEqual(first.body)
  })

  test('201: the first client of an agent makes the agent known', async () => {
    await create({ ...MACHINE, agent_id: 'agt_support' })
    await local.drain()

    const { body } = await acme.call(events.list)
    const told = body.items.filter(({ type }: { type: string }) => type === 'agent.created')
    expect(told).toMatchObject([{ data: { agent_id: 'agt_support' } }])
  })

  test.each([
    ['plain http', ['http://client.example/callback']],
    ['a fragment', ['https://client.example/callback#x']],
    ['a wildcard', ['https://*.client.example/callback']],
    ['a scheme without a dot', ['myapp:/callback']],
    ['a script', ['javascript:alert(1)']],
    ['credentials', ['https://a:b@client.example/callback']],
    ['no address at all', ['callback']],
  ])('422: an address with %s', async (_, redirect_uris) => {
    expect(await create({ ...CODE_CLIENT, redirect_uris })).toMatchObject(at('redirect_uris', 0))
  })

  test.each([
    ['a public machine', { ...MACHINE, type: 'public' }, 'grant_types'],
    ['a client of people without an address', { ...CODE_CLIENT, redirect_uris: [] }, 'redirect_uris'],
    ['a machine with an address', { ...MACHINE, redirect_uris: ['https://a.example/'] }, 'redirect_uris'],
    ['refreshing without a code', { ...MACHINE, grant_types: ['client_credentials', 'refresh_token'] }, 'grant_types'],
    [
      'a public client with a secret',
      { ...CODE_CLIENT, token_endpoint_auth_method: 'client_secret_post' },
      'token_endpoint_auth_method',
    ],
    [
      'a private key, which is nobody else’s to know',
      {
        ...MACHINE,
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x', d: 'd' }] },
      },
      'jwks',
    ],
    [
      'logouts at a private address',
      { ...CODE_CLIENT, backchannel_logout_uri: 'https://169.254.169.254/' },
      'backchannel_logout_uri',
    ],
    [
      'logouts at an address with a fragment',
      { ...CODE_CLIENT, backchannel_logout_uri: 'https://client.example/#x' },
      'backchannel_logout_uri',
    ],
    [
      'sessions without an address for logouts',
      { ...CODE_CLIENT, backchannel_logout_session_required: true },
      'backchannel_logout_session_required',
    ],
    [
      'https on loopback beside the address of an app',
      { ...CODE_CLIENT, redirect_uris: ['https://localhost/callback', 'http://localhost/callback'] },
      'redirect_uris',
    ],
    ['private_key_jwt without a key', { ...MACHINE, token_endpoint_auth_method: 'private_key_jwt' }, 'jwks'],
  ])('422: %s', async (_, body, member) => {
    expect(await create(body)).toMatchObject(at(member))
  })

  test.each(['admin', 'governance:write', 'nonsense'])('422: the scope %s', async (scope) => {
    expect(await create({ ...MACHINE, scopes: [scope] })).toMatchObject(at('scopes', 0))
  })

  test('403: a scope of which its creator holds nothing', async () => {
    const cap = [...permissionsOfRoles(['owner'])].filter((one) => one === 'oauth_clients:write')
    const key = await makeKey(acme, { cap })

    const reply = await create(MACHINE, key)

    expect(reply).toMatchObject({ status: 403, body: { detail: expect.stringContaining('diagnostic:read') } })
  })

  test('409: one client more than a tenant may have', async () => {
    const full = await local.tenant()
    for (let count = 0; count < 50; count += 1) await full.call(clients.create, { body: CODE_CLIENT })

    expect(await full.call(clients.create, { body: CODE_CLIENT })).toMatchObject({ status: 409 })
  })
})
