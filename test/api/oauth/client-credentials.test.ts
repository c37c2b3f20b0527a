import { exportJWK, generateKeyPair } from 'jose'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { discovered, followClock, INSECURE, MACHINE, newClient } from '../../support/oauth.ts'
import { claimsOf } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let config: client.Configuration

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
  config = await discovered(local, await newClient(acme, MACHINE))
})
afterAll(() => {
  vi.restoreAllMocks()
})

const refused = (error: string) => expect.objectContaining({ error })

describe('a client that acts for itself', () => {
  test('gets a token that names the client, no role and its scopes', async () => {
    const tokens = await client.clientCredentialsGrant(config, { scope: 'governance:read' })
    const { client_id } = config.clientMetadata()

    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'governance:read' })
    expect(tokens.refresh_token).toBeUndefined()
    expect(claimsOf(tokens.access_token)).toMatchObject({
      sub: client_id,
      client_id,
      tenant_id: acme.tenant_id,
      mode: 'live',
      roles: [],
      aud: local.apiUrl,
    })
  })

  test('gets what it is registered for when it names no scope', async () => {
    const { scope } = await client.clientCredentialsGrant(config)

    expect(scope).toBe('diagnostic:read governance:read')
  })

  test('may do on the API what its scopes give, and no more', async () => {
    const { access_token: key } = await client.clientCredentialsGrant(config, { scope: 'governance:read' })
    const { call } = acme.as({ key })

    expect((await call(approvals.list)).status).toBe(200)
    expect(await call(clients.list)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await call(security.listPolicies, { params: { tenant_id: acme.tenant_id } })).toMatchObject({ status: 200 })
  })

  test('can never do more than its creator could', async () => {
    const narrow = await discovered(
      local,
      await newClient(acme.as('approver'), MACHINE).catch(() => newClient(acme, MACHINE)),
    )
    const { access_token: key } = await client.clientCredentialsGrant(narrow)

    expect((await acme.as({ key }).call(clients.list)).status).toBe(403)
  })

  test('of the sandbox works in the sandbox', async () => {
    const sandbox = await discovered(local, await newClient(acme, { ...MACHINE, mode: 'test' }))
    const { access_token: key } = await client.clientCredentialsGrant(sandbox)

    expect(claimsOf(key)).toMatchObject({ mode: 'test' })
    expect((await acme.as({ key }).call(approvals.list)).status).toBe(200)
  })

  test('may prove itself by a key of its own instead of a secret', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
    const { client_id } = await newClient(acme, {
      ...MACHINE,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [jwk] },
    })
    const authentication = client.PrivateKeyJwt({ key: privateKey, kid: 'k1' })
    const own = await client.discovery(new URL(local.appUrl), client_id, undefined, authentication, INSECURE)

    expect((await client.clientCredentialsGrant(own)).access_token).toBeDefined()
  })

  test.each([
    ['openid', 'invalid_scope'],
    ['offline_access', 'invalid_scope'],
    ['admin', 'invalid_scope'],
    ['governance:write', 'invalid_scope'],
    ['agent:execute', 'invalid_scope'],
  ])('is refused the scope %s', async (scope, error) => {
    await expect(client.clientCredentialsGrant(config, { scope })).rejects.toEqual(refused(error))
  })

  test('is refused another resource', async () => {
    const asked = client.clientCredentialsGrant(config, { resource: 'https://other.example' })

    await expect(asked).rejects.toEqual(refused('invalid_target'))
  })

  test('is refused with a wrong secret, and without one', async () => {
    const { client_id } = config.clientMetadata()
    for (const client_secret of ['wrong', undefined]) {
      const other = await discovered(local, { client_id, ...(client_secret && { client_secret }) })
      await expect(client.clientCredentialsGrant(other)).rejects.toMatchObject({ status: 401 })
    }
  })

  test('is refused when it is registered for people only', async () => {
    const people = await discovered(local, await newClient(acme))

    await expect(client.clientCredentialsGrant(people)).rejects.toEqual(refused('invalid_request'))
  })
})
