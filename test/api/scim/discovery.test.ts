import { beforeAll, describe, expect, test } from 'vitest'
import { scim } from '../../../functions/scim/routes.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
/** Of a key that may do nothing else. */
let key: string

beforeAll(async () => {
  acme = await local.tenant()
  key = await makeKey(acme, { scopes: ['diagnostic:read'] })
})

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'

describe('any API key', () => {
  test('reads what is supported', async () => {
    const reply = await local.call(scim.serviceProviderConfig, { key })

    expect(reply).toMatchObject({
      status: 200,
      body: {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
        patch: { supported: true },
        bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
        filter: { supported: true, maxResults: 200 },
        changePassword: { supported: true },
        sort: { supported: false },
        etag: { supported: true },
        authenticationSchemes: [{ type: 'oauthbearertoken', primary: true }],
        meta: { resourceType: 'ServiceProviderConfig', location: expect.stringMatching(/\/ServiceProviderConfig$/) },
      },
    })
    expect(reply.body.authenticationSchemes).toHaveLength(1)
    expect(reply.headers['content-type']).toBe('application/scim+json; charset=utf-8')
  })

  test('reads the types of resources', async () => {
    const { body } = await local.call(scim.listResourceTypes, { key })
    const one = await local.call(scim.getResourceType, { key, params: { id: 'User' } })

    expect(body).toMatchObject({ totalResults: 2, Resources: [{ id: 'User' }, { id: 'Group' }] })
    expect(one.body).toEqual(body.Resources[0])
    expect(one.body).toMatchObject({
      endpoint: '/Users',
      schema: USER,
      schemaExtensions: [{ schema: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', required: false }],
    })
    const { status } = await local.call(scim.listUsers, { key: acme.live_key })
    expect(status).toBe(200)
  })

  test('reads the schemas', async () => {
    const { body } = await local.call(scim.listSchemas, { key })
    const one = await local.call(scim.getSchema, { key, params: { id: USER } })

    expect(body.Resources.map(({ id }: { id: string }) => id)).toContain(USER)
    expect(one.body).toEqual(body.Resources[0])
    expect(one.body.meta).toMatchObject({
      resourceType: 'Schema',
      location: expect.stringContaining(`/Schemas/${USER}`),
    })
  })

  test('is refused a filter', async () => {
    const query = { filter: 'id pr' }
    const refused = { status: 403, body: { status: '403' } }

    expect(await local.call(scim.listSchemas, { key, query })).toMatchObject(refused)
    expect(await local.call(scim.listResourceTypes, { key, query })).toMatchObject(refused)
    expect(await local.call(scim.serviceProviderConfig, { key, query })).toMatchObject(refused)
  })
})

test('404: types and schemas that there are not', async () => {
  const missing = { status: 404, body: { status: '404' } }

  expect(await local.call(scim.getResourceType, { key, params: { id: 'Printer' } })).toMatchObject(missing)
  expect(await local.call(scim.getSchema, { key, params: { id: 'urn:nothing' } })).toMatchObject(missing)
})

test('501: bulk operations and /Me', async () => {
  const lacking = { status: 501, body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '501' } }
  const body = { Operations: [] }

  for (const route of [scim.bulk, scim.createMe, scim.replaceMe, scim.patchMe]) {
    expect(await local.call(route, { key: acme.live_key, body })).toMatchObject(lacking)
  }
  expect(await local.call(scim.getMe, { key: acme.live_key })).toMatchObject(lacking)
  expect(await local.call(scim.deleteMe, { key: acme.live_key })).toMatchObject(lacking)
})
