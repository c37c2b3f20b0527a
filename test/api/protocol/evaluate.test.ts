import { beforeAll, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

const evaluate = (action_id: string, body: object = {}) =>
  acme.call(protocol.evaluate, { body: { node_id: NODE_ID, action_id, payload: { contact: 'con_1' }, ...body } })

describe('POST /api/v1/protocol/evaluate', () => {
  test.each([
    ['get_contact', 'run', 'AUTO'],
    ['update_contact', 'run', 'SOFT'],
    ['delete_contact', 'hold', 'HARD'],
  ])('200: %s would %s as %s, decided as execute decides', async (action_id, outcome, tier) => {
    const { status, body } = await evaluate(action_id)
    const { receipt } = (await acme.execute(action_id)).body

    expect(status).toBe(200)
    expect(body).toMatchObject({ outcome, routing_decision: { tier } })
    for (const member of [
      'node_id',
      'action_id',
      'version',
      'policy_evaluations',
      'routing_decision',
      'policy_set_version',
    ]) {
      expect(body[member]).toEqual(receipt[member])
    }
  })

  test('200: says why an action would be rejected', async () => {
    const tenant = await governed(local)
    await tenant.policy({ name: 'never', effect: 'forbid', message: 'not on weekends' })
    const body = { node_id: NODE_ID, action_id: 'get_contact', payload: {} }

    expect(await tenant.call(protocol.evaluate, { body })).toMatchObject({
      status: 200,
      body: { outcome: 'reject', detail: 'not on weekends' },
    })
  })

  test('200: stores and tells nothing', async () => {
    await local.drain() // the total follows the events
    const before = (await acme.call(protocol.listExecutions)).body.total
    const events = await acme.told(() => evaluate('delete_contact'))

    expect(events).toEqual([])
    expect((await acme.call(protocol.listExecutions)).body.total).toBe(before)
  })

  test('refuses what execute refuses', async () => {
    expect(await evaluate('no_such_action')).toMatchObject({ status: 404 })
    expect(await evaluate('get_contact', { policy_context: { require_aproval: true } })).toMatchObject({ status: 422 })
  })
})
