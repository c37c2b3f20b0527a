import { beforeEach, describe, expect, test } from 'vitest'
import { allowlist } from '../../../functions/allowlist/routes.ts'
import { health } from '../../../functions/health/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { downgrade } from '../../support/downgrade.ts'
import { ownerInPerson } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
beforeEach(async () => {
  acme = await local.tenant()
})

const path = () => ({ tenant_id: acme.tenant_id })
const add = (body: object, ip?: string) =>
  acme.call(allowlist.create, { params: path(), body, ...(ip !== undefined && { ip }) })
const list = (ip?: string) => acme.call(allowlist.list, { params: path(), ...(ip !== undefined && { ip }) })
/** Lets more callers in, or all of them. */
const addMore = async (body: object) =>
  (await ownerInPerson(local, acme)).call(allowlist.create, { params: path(), body })
const removeLast = async (rule_id: string, query = {}) =>
  (await ownerInPerson(local, acme)).call(allowlist.delete, { params: { ...path(), rule_id }, query })
const remove = (rule_id: string, query = {}) => acme.call(allowlist.delete, { params: { ...path(), rule_id }, query })

describe('POST /api/v1/tenants/{tenant_id}/ip-allowlist', () => {
  test('201: whoever calls from elsewhere is refused from now on, whatever the credential', async () => {
    expect(await add({ cidr: '127.0.0.1', description: 'office' })).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^ipr_[0-9A-Z]{26}$/),
        cidr: '127.0.0.1/32',
        description: 'office',
        created_by: expect.stringMatching(/^key_/),
        created_at: expect.any(String),
      },
    })

    for (const who of ['approver', 'sandbox'] as const) {
      const refused = await acme.as(who).call(protocol.listManifests, { ip: '127.0.0.2' })
      expect(refused).toMatchObject({
        status: 403,
        body: {
          detail:
            "Your address is not on the tenant's allowlist. Call from a listed network, or ask an administrator to add yours.",
          code: 'ip_not_allowed',
        },
      })
    }
    expect((await list()).status).toBe(200)
    expect((await local.call(health.live, { ip: '127.0.0.2' })).status).toBe(200)
  })

  test('another container lets nobody in by the former list for more than 30 seconds', async () => {
    await add({ cidr: '127.0.0.1' })
    expect((await list('127.0.0.2')).status).toBe(403)
    const { body } = await list()
    await removeLast(body.items[0].id)

    coldStart()
    expect((await list('127.0.0.2')).status).toBe(200)
  })

  test('409: nobody locks themselves out without saying so', async () => {
    expect(await add({ cidr: '10.0.0.0/8' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('confirm: true') },
    })
    expect((await add({ cidr: '10.0.0.0/8', confirm: true })).status).toBe(201)
    expect((await list()).status).toBe(403)
  })

  test('409: a network that is listed already, however it is written', async () => {
    await add({ cidr: '127.0.0.0/8' })

    expect(await add({ cidr: '::ffff:127.0.0.0/104' })).toMatchObject({
      status: 409,
      body: { code: 'already_exists' },
    })
  })

  test.each(['0177.0.0.1/8', '10.0.0.1/8', '1.2.3/8', 'example.com', ''])('422: %j is no network', async (cidr) => {
    expect(await add({ cidr })).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'cidr'] }] } })
  })

  test('403: other plans do not have it', async () => {
    acme = await local.tenant({ plan: 'business' })

    expect(await add({ cidr: '127.0.0.1' })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('enterprise'), code: 'plan_feature' },
    })
  })

  test('a repeat with the same key adds nothing', async () => {
    const headers = { 'idempotency-key': 'once' }
    const send = () => acme.call(allowlist.create, { params: path(), body: { cidr: '127.0.0.1' }, headers })
    const [first, again] = [await send(), await send()]

    expect(again).toMatchObject({ status: 201, body: first.body })
    expect((await list()).body.total).toBe(1)
  })
})

describe('DELETE /api/v1/tenants/{tenant_id}/ip-allowlist/{rule_id}', () => {
  test('204: without the last rule everybody is let in again', async () => {
    const { body } = await add({ cidr: '127.0.0.1' })

    expect((await removeLast(body.id)).status).toBe(204)
    expect(await list('127.0.0.2')).toMatchObject({ status: 200, body: { items: [], total: 0 } })
    expect((await remove(body.id)).status).toBe(404)
  })

  test('409: the rule that lets its author in stays unless confirmed', async () => {
    const { body: own } = await add({ cidr: '127.0.0.1' })
    await addMore({ cidr: '10.0.0.0/8' })

    const refused = { status: 409, body: { detail: expect.stringContaining('?confirm=true') } }
    expect(await remove(own.id)).toMatchObject(refused)
    expect((await remove(own.id, { confirm: true })).status).toBe(204)
  })
})

test('a lower plan lets nobody in: the rules stay, can be removed, and no rule can be added', async () => {
  const { body: rule } = await add({ cidr: '127.0.0.1' })
  await downgrade(acme.tenant_id)

  for (const who of ['approver', 'sandbox'] as const)
    expect(await acme.as(who).call(protocol.listManifests, { ip: '127.0.0.2' })).toMatchObject({
      status: 403,
      body: { code: 'ip_not_allowed' },
    })
  expect(await add({ cidr: '127.0.0.2' })).toMatchObject({ status: 403, body: { code: 'plan_feature' } })
  expect((await list()).body.total).toBe(1)
  expect((await removeLast(rule.id)).status).toBe(204)
  expect((await list('127.0.0.2')).status).toBe(200)
})

test('403: no key lets more callers in, nor everybody; keeping callers out is quick', async () => {
  const { body: rule } = await add({ cidr: '127.0.0.1' })
  const refused = { status: 403, body: { code: 'person_required' } }

  expect(await add({ cidr: '10.0.0.0/8' })).toMatchObject(refused)
  expect(await remove(rule.id)).toMatchObject(refused)
  const { body: other } = await addMore({ cidr: '10.0.0.0/8' })
  expect((await remove(other.id)).status).toBe(204)
})

test('the newest rule is listed first', async () => {
  await add({ cidr: '127.0.0.0/8' })
  await addMore({ cidr: '2001:db8::/32' })

  const { body } = await list()
  expect(body.items.map(({ cidr }: { cidr: string }) => cidr)).toEqual(['2001:db8::/32', '127.0.0.0/8'])
})
