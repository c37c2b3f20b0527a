import { beforeEach, describe, expect, test } from 'vitest'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { verifyWebhookSignature } from '../../../shared/deliver/webhooks/verify.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { startReceiver } from './receiver.ts'

const local = useLocalStack()
let acme: TestTenant
beforeEach(async () => {
  acme = await local.tenant()
})

const create = async (url = 'https://8.8.8.8/hook'): Promise<{ id: string; secret: string }> =>
  (await acme.call(webhooks.create, { body: { name: 'Sink', url, events: ['*'] } })).body
const rotate = (id: string, body: object = {}, headers = {}) =>
  acme.call(webhooks.rotateSecret, { params: { id }, body, headers })

describe('POST /api/webhooks/{id}/rotate-secret', () => {
  test('200: shows a new secret once; the former one ends after a day', async () => {
    const { id, secret: former } = await create()

    const reply = await rotate(id)

    expect(reply.status).toBe(200)
    expect(reply.body.secret).toMatch(/^whsec_/)
    const [fresh, old] = reply.body.secrets
    expect(fresh).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      hint: reply.body.secret.slice(-4),
      seen_by: acme.owner.id,
    })
    expect(old.hint).toBe(former.slice(-4))
    expect(Date.parse(old.expires_at) - Date.parse(fresh.created_at)).toBe(86_400_000)
    const { body: shown } = await acme.call(webhooks.get, { params: { id } })
    expect(shown).toMatchObject({ secrets: reply.body.secrets, version: 2 })
    expect(JSON.stringify(shown)).not.toContain(reply.body.secret)
  })

  test('200: what is sent from then on verifies with either secret', async () => {
    const receiver = await startReceiver()
    const { id, secret: former } = await create(receiver.url)
    const { body } = await rotate(id, { overlap_seconds: 60 })

    await acme.call(webhooks.test, { params: { id }, body: {} })
    await receiver.stop()

    const now = local.clock.now() / 1_000
    for (const secret of [former, body.secret]) {
      expect(verifyWebhookSignature(receiver.last(), secret, now)).toBe(true)
    }
  })

  test('200: a repeat with the same Idempotency-Key is the same secret', async () => {
    const { id } = await create()
    const headers = { 'idempotency-key': 'once' }
    const first = await rotate(id, {}, headers)
    const second = await rotate(id, {}, headers)

    expect(second).toMatchObject({ status: 200, body: first.body })
    expect((await acme.call(webhooks.get, { params: { id } })).body.secrets).toHaveLength(2)
  })

  test('409: three secrets are valid already', async () => {
    const { id } = await create()
    await rotate(id)
    await rotate(id)

    expect(await rotate(id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('3 secrets') } })
    expect(await rotate(id, { overlap_seconds: 0 })).toMatchObject({ status: 200 })
  })

  test.each([
    ['a negative overlap', { overlap_seconds: -1 }, 'overlap_seconds'],
    ['an overlap of more than seven days', { overlap_seconds: 604_801 }, 'overlap_seconds'],
    ['half a second', { overlap_seconds: 0.5 }, 'overlap_seconds'],
    ['a short secret', { secret: 'whsec_c2hvcnQ=' }, 'secret'],
  ])('422: refuses %s', async (_, body, field) => {
    const { id } = await create()

    expect(await rotate(id, body)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } })
  })

  test('404: another tenant’s endpoint', async () => {
    const { id } = await create()
    const other = await local.tenant()

    expect(await other.call(webhooks.rotateSecret, { params: { id }, body: {} })).toMatchObject({ status: 404 })
  })

  test('403: needs the permission', async () => {
    const { id } = await create()

    expect(await acme.as('approver').call(webhooks.rotateSecret, { params: { id }, body: {} })).toMatchObject({
      status: 403,
    })
  })
})
