import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
/** Decides what the sandbox key asked for. */
let key: string
beforeAll(async () => {
  target = await startTarget()
})
afterAll(async () => {
  expect(target.calls).toEqual([]) // whatever the tests below have done
  await target.stop()
})
beforeEach(async () => {
  const to = { type: 'http', url: target.url }
  acme = await governed(
    local,
    [
      { action_id: 'get_contact', target: to, sandbox_response: { name: 'Anna' } },
      { action_id: 'list_contacts', target: to, idempotency: true },
      { action_id: 'update_contact', target: to, undo_action_id: 'restore_contact' },
      { action_id: 'restore_contact', target: to },
      { action_id: 'delete_contact', target: to, sandbox_response: { deleted: 1 } },
      { action_id: 'delete_note' },
    ],
    { mode: 'test' },
  )
  key = await makeKey(acme, { kind: 'test', created_by: acme.approver.id })
})

const forced = (outcome: string, more: object = {}) => ({ policy_context: { sandbox: { outcome, ...more } } })

describe('POST /api/v1/protocol/execute in test mode', () => {
  test('200: a target is not called, and the manifest’s response is the output', async () => {
    const { body } = await acme.execute('get_contact')

    expect(body).toMatchObject({ status: 'executed', result: { simulated: true, output: { name: 'Anna' } } })
    expect((await acme.look(body.receipt.request_id)).result).toEqual(body.result)
    expect((await acme.execute('list_contacts')).body.result).toMatchObject({ simulated: true, output: {} })
  })

  test('200: a success that is asked for is no other than any', async () => {
    expect(await acme.execute('get_contact', forced('success'))).toMatchObject({
      status: 200,
      body: { result: { simulated: true, output: { name: 'Anna' } } },
    })
  })

  test('502: a failure that is asked for', async () => {
    expect(await acme.execute('get_contact', forced('failure'))).toMatchObject({
      status: 502,
      body: { status: 'failed', error: { code: 'target_status', http_status: 500 }, receipt: { retries: 0 } },
    })
  })

  test.each([
    ['get_contact', 0],
    ['list_contacts', 2],
  ])('502: a time-out of %s counts %i retries', async (action_id, retries) => {
    expect(await acme.execute(action_id, forced('timeout'))).toMatchObject({
      status: 502,
      body: { status: 'outcome_unknown', error: { code: 'target_timeout' }, receipt: { retries } },
    })
  })

  test('200: a delay is as long as was asked for', async () => {
    const { body } = await acme.execute('get_contact', forced('success', { delay_ms: 5_000 }))

    expect(body.receipt.latency_ms).toBeGreaterThanOrEqual(5_000)
  })

  test.each([
    ['a longer delay', { outcome: 'success', delay_ms: 5_001 }],
    ['an unknown outcome', { outcome: 'flood' }],
    ['an unknown wish', { outcome: 'success', status: 500 }],
  ])('422: refuses %s', async (_, sandbox) => {
    expect(await acme.execute('get_contact', { policy_context: { sandbox } })).toMatchObject({ status: 422 })
  })

  test('200: an approved action is simulated as it was asked for', async () => {
    const plain = await acme.held()
    const failing = await acme.held('delete_contact', forced('failure'))
    const brokered = await acme.held('delete_note', forced('timeout'))

    expect((await acme.approve(plain.approval.id, {}, { key })).body.execution).toMatchObject({
      status: 'executed',
      result: { simulated: true, output: { deleted: 1 } },
    })
    expect((await acme.approve(failing.approval.id, {}, { key })).body.execution.status).toBe('failed')
    expect((await acme.approve(brokered.approval.id, {}, { key })).body.execution.status).toBe('outcome_unknown')
  })

  test('403: the rules are the same, so nobody approves their own request', async () => {
    const { approval } = await acme.held()

    expect(await acme.approve(approval.id)).toMatchObject({ status: 403 })
  })

  test('200: an undo action is simulated too', async () => {
    const { receipt } = bodyOf(await acme.execute('update_contact'), 200)
    const { body } = await acme.undo(receipt.request_id)

    expect(body).toMatchObject({ status: 'undone', undo: { action_id: 'restore_contact' } })
    expect((await acme.look(body.undo.request_id)).result).toMatchObject({ status: 'completed', simulated: true })
  })

  test('404: nothing crosses into live mode', async () => {
    const { approval, receipt } = await acme.held()
    const live = { key: acme.live_key }

    expect(await acme.execute('get_contact', {}, live)).toMatchObject({ status: 404 })
    expect(await acme.undo(receipt.request_id, live)).toMatchObject({ status: 404 })
    expect(await acme.approve(approval.id, {}, { key: acme.approver_key })).toMatchObject({ status: 404 })
  })
})
