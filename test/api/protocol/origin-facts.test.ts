// Facts of where a request comes from, and of who makes it.
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { allowlist } from '../../../functions/allowlist/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { bodyOf, executeFor, type Governed, governed, manifestOf, requestOf } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { ownerInPerson, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const COUNTRIES = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'
const [GERMANY, BRAZIL, NOWHERE] = ['193.99.144.80', '200.160.2.3', '127.0.0.1']

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
  process.env.COUNTRIES_FILE = fileURLToPath(import.meta.resolve(COUNTRIES))
})

const forbidUnless = (field: string, op: string, value: unknown, more: object = {}) =>
  acme.policy({ name: field, effect: 'forbid', unless: { field, op, value, ...more } })
const get = async (key?: string) => (await acme.execute('get_contact', {}, { key })).status
/** A request of a person at another address than those of this machine. */
const from = (ip: string, action_id: string) => {
  const ctx = requestOf(acme, acme.owner.id)
  return executeFor({ ...ctx, request: { ...ctx.request, ip } }, action_id)
}

describe('the country of a request', () => {
  test('is found by its address; an address without one is refused like a wrong one', async () => {
    await forbidUnless('request.country', 'in', ['de'], { ignore_case: true })
    const all = await Promise.all([GERMANY, BRAZIL, NOWHERE].map((ip) => from(ip, 'get_contact')))

    expect(all.map(({ execution }) => execution.status)).toEqual(['executed', 'rejected', 'rejected'])
  })

  test('is that of the request, when the held action is decided on again', async () => {
    await forbidUnless('request.country', 'eq', 'DE')
    const { execution } = await from(GERMANY, 'delete_contact')

    expect(await acme.approve(execution.held?.id ?? '')).toMatchObject({ status: 200, body: { status: 'approved' } })
  })
})

describe('the allow-list', () => {
  test('names an address or not, and none without rules', async () => {
    await forbidUnless('request.allow_listed', 'eq', true)
    expect(await get()).toBe(403)
    const params = { tenant_id: acme.tenant_id }
    const owner = (await signIn(local, acme.owner)).access_token
    bodyOf(await acme.call(allowlist.create, { key: owner, params, body: { cidr: NOWHERE } }), 201)
    await local.advance(31_000)

    expect(await get()).toBe(200)
    const { approval } = await acme.held()
    expect((await acme.approve(approval.id)).status).toBe(200)
  })
})

describe('who requests', () => {
  test('is bound to an agent or not', async () => {
    await forbidUnless('agent.bound', 'eq', true)

    expect(await get(await makeKey(acme, { agent_id: 'agt_a' }))).toBe(200)
    expect(await get()).toBe(403)
  })

  test('is known since the first action', async () => {
    expect(await get()).toBe(200)
    await local.drain()
    await forbidUnless('agent.hours_known', 'gte', 2)
    await local.advance(3_600_000)
    expect(await get()).toBe(403)
    await local.advance(3_600_000)
    expect(await get()).toBe(200)
  })
})

describe('the environment of a node', () => {
  const GET = [{ action_id: 'get_contact' }]
  const byPerson = async (node: object) => {
    const key = (await ownerInPerson(local, acme)).access_token
    return bodyOf(await acme.call(protocol.registerManifest, { key, body: manifestOf(GET, node) }), 201)
  }
  const byKey = async (node: object) => bodyOf(await acme.register(GET, node), 201)

  test('counts once a person who may write policies has said it, and stays', async () => {
    await forbidUnless('node.environment', 'eq', 'test')
    expect(await get()).toBe(403)
    const said = [expect.stringContaining('environment test does not count')]
    expect(await byKey({ version: '1.0.1', environment: 'test' })).toMatchObject({ warnings: said })
    expect(await get()).toBe(403)
    expect(await byPerson({ version: '1.0.2', environment: 'test' })).toMatchObject({ warnings: [] })
    expect(await get()).toBe(200)
    expect(await byKey({ version: '1.0.3', environment: 'test' })).toMatchObject({ warnings: [] })
    expect(await get()).toBe(200)

    expect((await acme.register(GET, { version: '1.0.4', environment: 'prod' })).status).toBe(422)
  })

  test('is not taken from production by who may only register', async () => {
    const when = { field: 'node.environment', op: 'eq', value: 'production' }
    await acme.policy({ name: 'production', effect: 'forbid', when })
    await byPerson({ version: '1.0.1', environment: 'production' })
    expect(await get()).toBe(403)
    await byKey({ version: '1.0.2', environment: 'test' })
    expect(await get()).toBe(403)
    await byKey({ version: '1.0.3' })
    expect(await get()).toBe(403)
    await byPerson({ version: '1.0.4', environment: 'staging' })
    expect(await get()).toBe(200)
  })
})
