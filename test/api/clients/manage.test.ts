import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { clients } from '../../../functions/clients/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { auditedActions, CODE_CLIENT, discovered, followClock, MACHINE, newClient } from '../../support/oauth.ts'
import { personWith } from '../../support/people.ts'
import { ownerInPerson, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const DAY = 86_400_000

const local = useLocalStack()
let acme: TestTenant

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
})
afterAll(() => {
  vi.restoreAllMocks()
})

const getsToken = async (of: { client_id: string; client_secret?: string }) => {
  const config = await discovered(local, of)
  return client.clientCredentialsGrant(config).then(
    () => true,
    () => false,
  )
}

describe('PATCH /api/v1/oauth/clients/{client_id}', () => {
  test('200: the given fields change, and the audit log has the former values', async () => {
    const { client_id } = await newClient(acme)
    const params = { client_id }

    const owner = await ownerInPerson(local, acme)
    const reply = await owner.call(clients.update, { params, body: { name: 'Renamed', skip_consent: true } })

    expect(reply).toMatchObject({ status: 200, body: { name: 'Renamed', skip_consent: true, version: 2 } })
    expect(reply.headers.etag).toBe('"v2"')
    expect(await auditedActions(acme)).toContain('oauth_client.updated')
  })

  test('409: a change that is meant for another version', async () => {
    const params = { client_id: (await newClient(acme)).client_id }
    await acme.call(clients.update, { params, body: { name: 'First' } })

    const stale = await acme.call(clients.update, { params, body: { name: 'Second', version: 1 } })
    const byHeader = await acme.call(clients.update, {
      params,
      body: { name: 'Second' },
      headers: { 'if-match': '"v1"' },
    })

    expect([stale.status, byHeader.status]).toEqual([409, 409])
  })

  test('422: addresses and scopes are checked as for a new client', async () => {
    const params = { client_id: (await newClient(acme)).client_id }

    for (const body of [{ redirect_uris: ['http://a.example/'] }, { redirect_uris: [] }, { scopes: ['admin'] }]) {
      expect((await acme.call(clients.update, { params, body })).status).toBe(422)
    }
  })

  test('a client that is active again gets tokens again', async () => {
    const made = await newClient(acme, MACHINE)
    const params = { client_id: made.client_id }

    await acme.call(clients.update, { params, body: { status: 'disabled' } })
    const disabled = await getsToken(made)
    await acme.call(clients.update, { params, body: { status: 'active' } })

    expect([disabled, await getsToken(made)]).toEqual([false, true])
  })

  test('403: nobody adds a scope through which the client can do more for itself than they can', async () => {
    const made = await newClient(acme, MACHINE)
    const owner = await signIn(local, acme.owner)
    const developer = await personWith(local, owner, ['developer'])
    const widen = { params: { client_id: made.client_id }, body: { scopes: [...MACHINE.scopes, 'evidence:read'] } }

    const refused = await developer.call(clients.update, widen)
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('audit:read') } })
    expect((await owner.call(clients.update, widen)).status).toBe(200)
  })

  test('403: only owners and admins decide that people are not asked, and where their codes then go', async () => {
    const owner = await ownerInPerson(local, acme)
    const developer = await personWith(local, owner, ['developer'])
    const trusting = { ...CODE_CLIENT, skip_consent: true }
    const [asking, trusted] = [await newClient(developer), await newClient(owner, trusting)]
    const change = ({ client_id }: { client_id: string }, body: object) =>
      developer.call(clients.update, { params: { client_id }, body })
    const refused = { status: 403, body: { detail: expect.stringContaining('You cannot skip consent') } }

    expect(await developer.call(clients.create, { body: trusting })).toMatchObject(refused)
    expect(await acme.call(clients.create, { body: trusting })).toMatchObject({ body: { code: 'person_required' } })
    expect(await change(asking, { skip_consent: true })).toMatchObject(refused)
    expect(await change(trusted, { redirect_uris: ['https://developer.example/callback'] })).toMatchObject(refused)
    expect((await change(trusted, { status: 'disabled' })).status).toBe(200)
  })
})

describe('POST /api/v1/oauth/clients/{client_id}/secret', () => {
  test('403: nobody gets the secret of a client that can do more for itself than they can', async () => {
    const strong = await newClient(acme, { ...MACHINE, scopes: ['evidence:read'] })
    const owner = await signIn(local, acme.owner)
    const developer = await personWith(local, owner, ['developer'])
    const own = await newClient(developer, { ...MACHINE, scopes: ['evidence:read'] })
    const rotate = ({ client_id }: { client_id: string }) =>
      developer.call(clients.rotateSecret, { params: { client_id }, body: {} })

    expect(await rotate(strong)).toMatchObject({ status: 403, body: { detail: expect.stringContaining('audit:read') } })
    expect((await rotate(own)).status).toBe(200)
  })

  test('200: a new secret; the one before works for another 24 hours', async () => {
    const made = await newClient(acme, MACHINE)
    const params = { client_id: made.client_id }

    const { status, body } = await acme.call(clients.rotateSecret, { params, body: {} })
    const fresh = { ...made, client_secret: body.client_secret }
    const meanwhile = [await getsToken(made), await getsToken(fresh)]
    local.clock.moveTo(local.clock.now() + DAY)

    expect(status).toBe(200)
    expect(Date.parse(body.previous_secret_until) - local.clock.now()).toBeLessThanOrEqual(0)
    expect(meanwhile).toEqual([true, true])
    expect([await getsToken(made), await getsToken(fresh)]).toEqual([false, true])
    expect(await auditedActions(acme)).toContain('oauth_client.secret_rotated')
  })

  test('200: of three secrets the first no longer works', async () => {
    const first = await newClient(acme, MACHINE)
    const params = { client_id: first.client_id }
    await acme.call(clients.rotateSecret, { params, body: {} })
    await acme.call(clients.rotateSecret, { params, body: {} })

    expect(await getsToken(first)).toBe(false)
  })

  test('409: for a client that has none', async () => {
    const params = { client_id: (await newClient(acme, CODE_CLIENT)).client_id }

    expect((await acme.call(clients.rotateSecret, { params, body: {} })).status).toBe(409)
  })
})

describe('DELETE /api/v1/oauth/clients/{client_id}', () => {
  test('204: it is gone, and a second time it is not found', async () => {
    const made = await newClient(acme, MACHINE)
    const params = { client_id: made.client_id }

    expect((await acme.call(clients.delete, { params })).status).toBe(204)
    expect((await acme.call(clients.delete, { params })).status).toBe(404)
    expect(await getsToken(made)).toBe(false)
    expect(await auditedActions(acme)).toContain('oauth_client.deleted')
  })
})

describe('POST /api/v1/oauth/registration-tokens', () => {
  test('201: a token for one registration, shown here only', async () => {
    const { status, body } = await acme.call(clients.createRegistrationToken, { body: { expires_in: 600, uses: 1 } })

    expect(status).toBe(201)
    expect(body).toMatchObject({ token: expect.stringMatching(/^[\w-]{43}$/), uses: 1 })
    expect(await auditedActions(acme)).toContain('registration_token.created')
  })

  test.each([{ expires_in: 59 }, { expires_in: 86_401 }, { expires_in: 600, uses: 2 }])(
    '422: a token with %o is refused',
    async (body) => {
      expect((await acme.call(clients.createRegistrationToken, { body })).status).toBe(422)
    },
  )
})
