// Which refusal wins when a request deserves two of them: each pair of neighbours.
import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { tenants } from '../../../shared/base/tenant/tenant.ts'
import { bodyOf } from '../../support/any-route.ts'
import { send } from '../../support/http.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

/** The clock moves while a test runs: whichever minute they fall in, so many calls exceed the 100 of a free tenant. */
const MORE_THAN_TWO_MINUTES = 202
/** Each refusal also writes to the audit log. */
const AT_ONCE = 20

const local = useLocalStack()
let acme: TestTenant
beforeEach(async () => {
  acme = await local.tenant()
})

const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
  const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
  const { status, text } = await send(local.apiUrl + path, sent)
  return { status, body: JSON.parse(text) }
}
const hook = JSON.stringify(bodyOf(webhooks.create))
const keyed = () => ({ 'x-api-key': acme.live_key })

describe('the input', () => {
  test('413 before 400: size before content type', async () => {
    expect(await post('/api/webhooks', 'x'.repeat(262_145), { 'content-type': 'text/plain' })).toMatchObject({
      status: 413,
    })
  })

  test('400 before 400: content type before syntax', async () => {
    const reply = await post('/api/webhooks', '{', { 'content-type': 'text/plain' })

    expect(reply.body.detail).toBe('The Content-Type is not supported. Send application/json in UTF-8.')
  })

  test('400 before 422: syntax before what JSON cannot carry', async () => {
    expect(await post('/api/webhooks', '{"a":1e400,')).toMatchObject({ status: 400 })
  })

  test('422 before 404: what JSON cannot carry before an illegal path value', async () => {
    expect(await post('/api/v1/work/approvals/a%20b/approve', '{"a":1e400}')).toMatchObject({ status: 422 })
  })

  test('404 before 400: an illegal path value before the query and headers', async () => {
    const bad = { 'idempotency-key': 'has space' }

    expect(await post('/api/v1/work/approvals/a%20b/approve?x=1&x=2', '{}', bad)).toMatchObject({ status: 404 })
    expect(await post('/api/v1/work/approvals/some-id/approve?x=1&x=2', '{}', keyed())).toMatchObject({
      status: 400,
      body: { detail: 'You sent a query parameter more than once. Send each parameter once.' },
    })
  })

  test('400 before 400: query and headers before missing fields', async () => {
    expect((await post('/api/webhooks?x=1&x=2', '{}')).body.code).toBe('malformed')
    expect((await post('/api/webhooks', '{}', { ...keyed(), 'idempotency-key': 'é' })).body.code).toBe('malformed')
    expect((await post('/api/webhooks', '{}', keyed())).body.code).toBe('missing_field')
  })

  test('400 before 422: missing fields before broken rules', async () => {
    expect(await post('/api/webhooks', '{"name":1,"zzz":2}')).toMatchObject({
      status: 400,
      body: { code: 'missing_field' },
    })
  })
})

describe('the caller', () => {
  test('422 before 401: a broken rule before the credential', async () => {
    expect(await post('/api/webhooks', hook.replace('Ticket system', '\\u0000'))).toMatchObject({ status: 422 })
    expect(await post('/api/webhooks', hook)).toMatchObject({ status: 401 })
  })

  test('401 before 429: a bad credential before the windows of anybody', async () => {
    const busy = await local.tenant({ plan: 'free' })
    const replies = await Promise.all(
      Array.from({ length: MORE_THAN_TWO_MINUTES }, () => busy.call(protocol.listManifests)),
    )
    expect(replies.some(({ status }) => status === 429)).toBe(true)

    const mistyped = busy.live_key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
    expect(await local.call(protocol.listManifests, { key: mistyped })).toMatchObject({ status: 401 })
  })

  test('429 before 403: the windows before tenant, path and permission', async () => {
    const busy = await local.tenant({ plan: 'free' })
    const weak = await makeKey(busy, { scopes: [] })
    await setStatus(busy, 'suspended')
    const call = () => local.call(security.listPolicies, { key: weak, params: { tenant_id: 'ten_other' } })
    const statuses = new Set<number>()
    for (let sent = 0; sent < MORE_THAN_TWO_MINUTES; sent += AT_ONCE) {
      for (const { status } of await Promise.all(Array.from({ length: AT_ONCE }, call))) statuses.add(status)
    }

    expect(statuses).toEqual(new Set([403, 429]))
  })
})

describe('the permission', () => {
  test("403 before 404: a suspended tenant before another one's path", async () => {
    await setStatus(acme, 'suspended')

    expect(await acme.call(security.listPolicies, { params: { tenant_id: 'ten_other' } })).toMatchObject({
      status: 403,
      body: { detail: 'Your tenant is suspended. Ask an owner of it.' },
    })
  })

  test("404 before 403: another tenant's path before the permission", async () => {
    const key = await makeKey(acme, { scopes: [] })

    expect((await local.call(security.listPolicies, { key, params: { tenant_id: 'ten_other' } })).status).toBe(404)
    expect((await local.call(security.listPolicies, { key, params: { tenant_id: acme.tenant_id } })).status).toBe(403)
  })

  test('403 before 404: the permission before the resource', async () => {
    const key = await makeKey(acme, { scopes: ['diagnostic:read'] })

    expect((await local.call(approvals.get, { key, params: { id: 'apr_missing' } })).status).toBe(403)
    expect((await acme.call(approvals.get, { params: { id: 'apr_missing' } })).status).toBe(404)
  })

  test('404 before 409: the resource before its state', async () => {
    const body = { version: 99 }
    const { body: made } = await acme.call(webhooks.create, { body: bodyOf(webhooks.create) ?? {} })

    expect((await acme.call(webhooks.update, { params: { id: 'whe_missing' }, body })).status).toBe(404)
    expect((await acme.call(webhooks.update, { params: { id: made.id }, body })).status).toBe(409)
  })

  test('403 before a replay: a repeat must still be allowed', async () => {
    const headers = { 'idempotency-key': 'k1' }
    const body = bodyOf(webhooks.create) ?? {}
    await acme.call(webhooks.create, { body, headers })
    const key = await makeKey(acme, { scopes: ['diagnostic:read'] })

    expect((await local.call(webhooks.create, { key, body, headers })).status).toBe(403)
  })
})

async function setStatus({ tenant_id }: TestTenant, status: 'suspended'): Promise<void> {
  const { table } = systemContext({ tenant_id, mode: 'live' })
  await table.update(tenants.key({ id: tenant_id }), { set: { status } })
}
