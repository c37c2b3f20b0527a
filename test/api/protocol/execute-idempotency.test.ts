import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { json, reset, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
beforeEach(async () => {
  target = await startTarget()
  const to = { type: 'http', url: target.url }
  acme = await governed(local, [
    { action_id: 'get_contact' },
    { action_id: 'update_contact' },
    { action_id: 'delete_contact' },
    { action_id: 'update_deal', target: to },
    { action_id: 'get_deal', input_schema: { type: 'object', required: ['deal'] } },
  ])
})
afterEach(() => target.stop())

const headers = { 'idempotency-key': 'order-7' }
const once = (action_id: string, body: object = {}) => acme.execute(action_id, body, { headers })
const REPLAYED = { 'idempotent-replayed': 'true' }

describe('POST /api/v1/protocol/execute with an Idempotency-Key', () => {
  test.each([
    ['an AUTO action', 'get_contact', 200],
    ['a SOFT action', 'update_contact', 200],
    ['a HARD action', 'delete_contact', 202],
    ['an action with a target', 'update_deal', 200],
  ])('%s is answered again, and nothing else happens', async (_, action_id, status) => {
    const first = await once(action_id)
    const events = await acme.told(async () => {
      const again = await once(action_id)
      expect(again).toMatchObject({ status, headers: REPLAYED })
      expect(again.body).toEqual(first.body)
      expect(again.headers.location).toBe(first.headers.location)
    })

    expect(first.status).toBe(status)
    expect(first.headers).not.toHaveProperty('idempotent-replayed')
    expect(events).toEqual([])
    expect(target.calls.length).toBeLessThanOrEqual(1)
    expect((await acme.look(first.body.receipt.request_id)).evidence.length).toBeLessThanOrEqual(2)
  })

  test('403: so is a rejection, also when the policy is gone by then', async () => {
    await acme.policy({ name: 'never', effect: 'forbid', scope: { action_ids: ['get_contact'] } })
    const first = await once('get_contact')
    await acme.change({ bulk_limit: 51 }) // another policy set

    expect(first.status).toBe(403)
    expect(await once('get_contact')).toMatchObject({ status: 403, body: first.body, headers: REPLAYED })
  })

  test.each([
    ['failed', json(500, {})],
    ['outcome_unknown', reset],
  ])('502: so is an outcome of %s, without a further call', async (status, behaviour) => {
    target.next(behaviour)
    const first = await once('update_deal')

    expect(first).toMatchObject({ status: 502, body: { status } })
    expect(await once('update_deal')).toMatchObject({ status: 502, body: first.body, headers: REPLAYED })
    expect(target.calls).toHaveLength(1)
  })

  test('the first answer stays what it was, whatever has happened since', async () => {
    const soft = bodyOf(await once('update_contact'), 200)
    await acme.undo(soft.receipt.request_id)
    const key = { headers: { 'idempotency-key': 'order-8' } }
    const hard = bodyOf(await acme.execute('delete_contact', {}, key), 202)
    await acme.approve(hard.approval.id)

    expect((await once('update_contact')).body).toEqual(soft)
    expect(await acme.execute('delete_contact', {}, key)).toMatchObject({ status: 202, body: hard })
    expect((await acme.look(soft.receipt.request_id)).status).toBe('undone')
    expect((await acme.look(hard.receipt.request_id)).status).toBe('executed')
  })

  test('so it does when the action was decided again under another manifest', async () => {
    const first = await once('delete_contact')
    await acme.register([{ action_id: 'delete_contact', description: 'Deletes a contact.' }], { version: '1.1.0' })
    expect(await acme.approve(first.body.approval.id)).toMatchObject({ status: 409 })
    const again = await once('delete_contact')

    expect(again).toMatchObject({ status: 202, headers: { location: first.headers.location } })
    expect(again.body).toEqual(first.body)
    const present = await acme.look(first.body.receipt.request_id)
    expect(present.receipt).toEqual(first.body.receipt)
    expect(present.approval.id).not.toBe(first.body.approval.id)
  })

  test('20 at once are one execution', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => once('update_deal')))
    const ids = replies.flatMap(({ body }) => body.receipt?.request_id ?? [])

    expect(new Set(ids).size).toBe(1)
    expect(target.calls).toHaveLength(1)
    for (const { status, headers: answered, body } of replies) {
      if (status === 200) expect(body.receipt.request_id).toBe(ids[0])
      else expect([status, answered['retry-after'], body.code]).toEqual([409, '1', 'idempotency_in_progress'])
    }
    expect(await once('update_deal')).toMatchObject({ status: 200, body: { receipt: { request_id: ids[0] } } })
  })

  test('20 at once of a brokered action all get its answer', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => once('get_contact')))

    expect(new Set(replies.map(({ status, body }) => `${status} ${body.receipt?.request_id}`)).size).toBe(1)
  })

  test('422: a key that was used for another request', async () => {
    await once('get_contact')

    expect(await once('get_contact', { payload: { contact: 'con_2' } })).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ['header', 'Idempotency-Key'], type: 'idempotency_mismatch' }],
        code: 'idempotency_mismatch',
      },
    })
  })

  test('what was refused without a receipt leaves the key unused', async () => {
    expect((await once('get_deal')).status).toBe(422)
    expect((await once('no_such_action')).status).toBe(404)
    expect(await once('get_deal', { payload: { deal: 1 } })).toMatchObject({ status: 200 })
  })

  test('409: a key counts for the tenant, and answers only its first caller', async () => {
    await once('get_contact')
    const key = await makeKey(acme)
    const other = await governed(local)

    const theirs = await acme.execute('get_contact', {}, { headers, key })
    expect(theirs).toMatchObject({ status: 409, body: { code: 'key_in_use' } })
    expect(theirs.body).not.toHaveProperty('receipt')
    expect((await other.execute('get_contact', {}, { headers })).headers).not.toHaveProperty('idempotent-replayed')
  })

  test('after a day it is free again', async () => {
    const first = bodyOf(await once('get_contact'), 200)
    local.clock.moveTo(local.clock.now() + 86_400_000)

    expect((await once('get_contact')).body.receipt.request_id).not.toBe(first.receipt.request_id)
  })

  test('without a key each request is an execution', async () => {
    const ids = [await acme.execute('get_contact'), await acme.execute('get_contact')].map(
      ({ body }) => body.receipt.request_id,
    )

    expect(new Set(ids).size).toBe(2)
  })

  test('400: a key of other than visible characters', async () => {
    expect(await acme.execute('get_contact', {}, { headers: { 'idempotency-key': 'a b' } })).toMatchObject({
      status: 400,
    })
  })
})
