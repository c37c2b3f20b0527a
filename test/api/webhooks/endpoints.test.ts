import { beforeEach, describe, expect, test } from 'vitest'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
beforeEach(async () => {
  acme = await local.tenant()
})

const body = { name: 'Audit sink', url: 'https://8.8.8.8/hook', events: ['action.approved'] }
const create = (change: object = {}, as = acme) => as.call(webhooks.create, { body: { ...body, ...change } })
const created = async (change: object = {}, as = acme): Promise<{ id: string; version: number }> =>
  (await create(change, as)).body

describe('POST /api/webhooks', () => {
  test('201: shows a generated secret here and never again', async () => {
    const reply = await create()

    expect(reply).toMatchObject({ status: 201, body: { ...body, status: 'active', consecutive_failed: 0, version: 1 } })
    expect(reply.headers.location).toBe(`/api/webhooks/${reply.body.id}`)
    expect(reply.body.secret).toMatch(/^whsec_/)
    expect(reply.body.secrets).toEqual([
      {
        id: expect.any(String),
        created_at: expect.any(String),
        hint: reply.body.secret.slice(-4),
        seen_by: acme.owner.id,
      },
    ])
    const { body: shown } = await acme.call(webhooks.get, { params: { id: reply.body.id } })
    for (const hidden of ['secret', 'sealed', 'tenant_id', '_v']) expect(shown).not.toHaveProperty(hidden)
    expect(JSON.stringify(shown)).not.toContain(reply.body.secret)
  })

  test('201: does not repeat a secret that the caller brought', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const reply = await create({ secret })

    expect(reply.status).toBe(201)
    expect(JSON.stringify(reply.body)).not.toContain(secret)
  })

  test('201: answers on both hosts', async () => {
    expect(await acme.call(webhooks.create, { body, host: 'app' })).toMatchObject({ status: 201 })
  })

  test('201: keeps header values to itself', async () => {
    const { body: shown } = await create({ headers: { authorization: 'Bearer s3cr3t' } })

    expect(shown.headers).toEqual({ authorization: '***' })
  })

  test('201: keeps metadata and filters of any name', async () => {
    const named = { metadata: { constructor: 'x' }, filter: { constructor: 1 } }

    expect(await create(named)).toMatchObject({ status: 201, body: named })
  })

  test('201: knows both spellings of the canceled subscription', async () => {
    const { body: shown } = await create({ events: ['subscription.cancelled', 'subscription.canceled'] })

    expect(shown.events).toEqual(['subscription.canceled'])
  })

  test('201: a repeat with the same Idempotency-Key is the same endpoint with the same secret', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await acme.call(webhooks.create, { body, headers })
    const second = await acme.call(webhooks.create, { body, headers })

    expect(second).toMatchObject({ status: 201, body: { id: first.body.id, secret: first.body.secret } })
    expect((await acme.call(webhooks.list)).body.total).toBe(1)
  })

  test('400: names all missing fields', async () => {
    expect(await acme.call(webhooks.create, { body: {} })).toMatchObject({
      status: 400,
      body: { detail: 'You left out required fields: name, url, events. Send them.' },
    })
  })

  test.each([
    ['an unknown event type', { events: ['action.approved', 'action.*'] }, ['body', 'events', 1]],
    ['no event type', { events: [] }, ['body', 'events']],
    ['a misspelt field', { event: ['*'] }, ['body', 'event']],
    ['a short secret', { secret: 'whsec_c2hvcnQ=' }, ['body', 'secret']],
    ['an endpoint in error', { status: 'error' }, ['body', 'status']],
    ['a header of the signature', { headers: { 'Webhook-Id': 'x' } }, ['body', 'headers', 'Webhook-Id']],
    ['a header of the connection', { headers: { HOST: 'x' } }, ['body', 'headers', 'HOST']],
    ['no header name', { headers: { 'a b': 'x' } }, ['body', 'headers', 'a b']],
    ['a header value with a line break', { headers: { 'x-a': 'x\r\ny: z' } }, ['body', 'headers', 'x-a']],
    [
      'too many headers',
      { headers: Object.fromEntries(Array.from({ length: 11 }, (__, n) => [`x-${n}`, 'x'])) },
      ['body', 'headers'],
    ],
    ['an expression as a filter', { filter: { latency_ms: { gt: 5 } } }, ['body', 'filter', 'latency_ms']],
    ['plain http to the world', { url: 'http://8.8.8.8/' }, ['body', 'url']],
    ['user information', { url: 'https://user@8.8.8.8/' }, ['body', 'url']],
    ['a private address', { url: 'https://10.0.0.1/' }, ['body', 'url']],
    ['the metadata service', { url: 'http://169.254.169.254/latest' }, ['body', 'url']],
    ['a name that is not public', { url: 'https://printer.local/' }, ['body', 'url']],
  ])('422: refuses %s', async (_, change, loc) => {
    const reply = await create(change)

    expect(reply.status).toBe(422)
    expect(reply.body.detail.map((violation: { loc: unknown }) => violation.loc)).toContainEqual(loc)
  })

  test('403: a plan has room for so many endpoints', async () => {
    const small = await local.tenant({ plan: 'free' })
    await create({}, small)
    await create({}, small)

    expect(await create({}, small)).toMatchObject({
      status: 403,
      body: { detail: 'Your plan allows 2 webhook endpoints. Delete one or change your plan.', code: 'plan_limit' },
    })
  })

  test('403: of several at the same moment, a plan admits no more than it has room for', async () => {
    const small = await local.tenant({ plan: 'free' })

    const replies = await Promise.all(Array.from({ length: 6 }, () => create({}, small)))

    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 403, 403, 403, 403])
    expect((await small.call(webhooks.list)).body.total).toBe(2)
  })

  test('403: needs the permission', async () => {
    const reply = await acme.as('approver').call(webhooks.create, { body })

    expect(reply.status).toBe(403)
  })
})

describe('GET /api/webhooks', () => {
  test('200: lists the endpoints of one tenant and mode, newest first', async () => {
    const first = await created({ name: 'first' })
    const second = await created({ name: 'second' })
    await acme.as('sandbox').call(webhooks.create, { body })
    await create({}, await local.tenant())

    const { body: page } = await acme.call(webhooks.list)
    expect(page).toMatchObject({ total: 2, has_more: false, next_cursor: null })
    expect(page.items.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id])
  })

  test('404: another tenant’s endpoint looks exactly like a missing one', async () => {
    const { id } = await created({}, await local.tenant())
    const foreign = await acme.call(webhooks.get, { params: { id } })
    const missing = await acme.call(webhooks.get, { params: { id: 'whe_01JD3Q8Z5NGX9Z1B3D5F7H9K1N' } })

    expect(foreign).toMatchObject({ status: 404, body: { detail: 'webhook endpoint not found' } })
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
  })
})

describe('PATCH /api/webhooks/{id}', () => {
  test('200: changes what is named and nothing else', async () => {
    const before = await created({ description: 'old', filter: { risk_tier: 'HARD' } })
    const reply = await acme.call(webhooks.update, { params: { id: before.id }, body: { description: 'new' } })

    expect(reply).toMatchObject({ status: 200, body: { ...body, description: 'new', filter: { risk_tier: 'HARD' } } })
    expect(reply.body.version).toBe(before.version + 1)
  })

  test('200: the owner disables and enables', async () => {
    const { id } = await created()
    const off = await acme.call(webhooks.update, { params: { id }, body: { status: 'disabled' } })
    const on = await acme.call(webhooks.update, { params: { id }, body: { status: 'active' } })

    expect(off.body).toMatchObject({ status: 'disabled', disabled_reason: 'user' })
    expect(on.body).toMatchObject({ status: 'active' })
    expect(on.body).not.toHaveProperty('disabled_reason')
  })

  test('409: a change made for another version is refused', async () => {
    const { id, version } = await created()
    const change = (name: string) => acme.call(webhooks.update, { params: { id }, body: { name, version } })

    expect((await change('first')).status).toBe(200)
    expect(await change('second')).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
  })

  test('422: a new URL is judged like the first one', async () => {
    const { id } = await created()

    expect(await acme.call(webhooks.update, { params: { id }, body: { url: 'https://10.0.0.1/' } })).toMatchObject({
      status: 422,
    })
  })
})

describe('DELETE /api/webhooks/{id}', () => {
  test('204: the endpoint is gone', async () => {
    const { id } = await created()

    expect(await acme.call(webhooks.delete, { params: { id } })).toMatchObject({ status: 204, body: undefined })
    expect(await acme.call(webhooks.get, { params: { id } })).toMatchObject({ status: 404 })
    expect(await acme.call(webhooks.delete, { params: { id } })).toMatchObject({ status: 404 })
  })
})
