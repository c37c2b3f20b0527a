import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { stillClock } from '../../support/still-clock.ts'
import { json, reset, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const clock = stillClock()
const local = useLocalStack({ clock })
let target: TestTarget
let acme: Governed
afterEach(() => target.stop())
beforeEach(async () => {
  clock.moveTo(clock.now() + 1_000) // out of the rate window of the test before
  target = await startTarget()
  const to = { type: 'http', url: target.url }
  acme = await governed(local, [
    { action_id: 'get_contact' },
    { action_id: 'update_contact', undo_action_id: 'restore_contact' },
    { action_id: 'restore_contact' },
    { action_id: 'delete_contact' },
    { action_id: 'update_deal', target: to, undo_action_id: 'restore_deal' },
    { action_id: 'restore_deal', target: to },
    { action_id: 'update_note', target: to },
    { action_id: 'update_task', target: to, undo_action_id: 'restore_contact' },
  ])
})

const executed = async (action_id: string) => {
  const { receipt, undo_until } = bodyOf(await acme.execute(action_id), 200)
  return { id: receipt.request_id, until: Date.parse(undo_until) }
}

describe('POST /api/v1/protocol/executions/{request_id}/undo', () => {
  test('200: of a brokered action, the undo is an execution that the caller carries out', async () => {
    const { id } = await executed('update_contact')
    const reply = await acme.call(protocol.undo, { params: { request_id: id }, body: { reason: 'wrong contact' } })

    expect(reply).toMatchObject({
      status: 200,
      body: {
        status: 'undone',
        result: { status: 'undone', message: 'Action undone.', payload_echo: { contact: 'con_1' } },
        undo: {
          state: 'done',
          action_id: 'restore_contact',
          by: expect.stringMatching(/^key_/),
          reason: 'wrong contact',
        },
      },
    })
    const { evidence, ...seen } = await acme.look(id)
    expect(seen).toEqual(reply.body)
    expect(evidence.map(({ type }: { type: string }) => type)).toEqual([
      'protocol.executed',
      'execution.undo_started',
      'execution.undone',
    ])
    expect(await acme.look(reply.body.undo.request_id)).toMatchObject({
      status: 'executed',
      receipt: { action_id: 'restore_contact', routing_decision: { strategy: 'undo', tier: 'SOFT', kind: 'update' } },
    })
  })

  test('200: until the last millisecond of the 30 seconds', async () => {
    const { id, until } = await executed('update_contact')
    const { executed_at } = (await acme.call(protocol.listExecutions)).body.items[0]
    expect(until - Date.parse(executed_at)).toBe(30_000)

    clock.moveTo(until)

    expect(await acme.undo(id)).toMatchObject({ status: 200 })
  })

  test('409: one millisecond later', async () => {
    const { id, until } = await executed('update_contact')
    clock.moveTo(until + 1)

    expect(await acme.undo(id)).toMatchObject({
      status: 409,
      body: {
        detail: `You can no longer undo this action. Its undo window ended at ${new Date(until).toISOString()}.`,
        code: 'conflict',
      },
    })
    expect((await acme.look(id)).status).toBe('executed')
  })

  test('200: once undone it stays undone, and a repeat changes nothing', async () => {
    const { id, until } = await executed('update_contact')
    const first = await acme.undo(id)
    clock.moveTo(until + 60_000)
    const events = await acme.told(async () =>
      expect(await acme.undo(id)).toMatchObject({ status: 200, body: first.body }),
    )

    expect(events).toEqual([])
  })

  test('200: many at once undo it once', async () => {
    const { id } = await executed('update_contact')
    const replies = await Promise.all(Array.from({ length: 10 }, () => acme.undo(id)))

    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
    expect(replies.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect((await acme.look(id)).evidence).toHaveLength(3)
  })

  test('409: AUTO and HARD actions cannot be undone', async () => {
    const auto = bodyOf(await acme.execute('get_contact'), 200)
    const { approval, receipt } = await acme.held()

    expect(await acme.undo(auto.receipt.request_id)).toMatchObject({
      status: 409,
      body: { detail: 'You can undo only SOFT actions.' },
    })
    expect(await acme.undo(receipt.request_id)).toMatchObject({
      status: 409,
      body: { detail: 'You cannot change the status from pending_approval to undone.' },
    })
    await acme.approve(approval.id)
    expect(await acme.undo(receipt.request_id)).toMatchObject({
      status: 409,
      body: { detail: 'You can undo only SOFT actions.' },
    })
  })

  test('409: what did not run cannot be undone', async () => {
    target.next(json(500, {}), reset)
    const failed = bodyOf(await acme.execute('update_note'), 502)
    const unknown = bodyOf(await acme.execute('update_note'), 502)
    const { approval, receipt } = await acme.held()
    await acme.reject(approval.id)

    for (const [request_id, status] of [
      [failed.receipt.request_id, 'failed'],
      [unknown.receipt.request_id, 'outcome_unknown'],
      [receipt.request_id, 'rejected'],
    ]) {
      expect(await acme.undo(request_id)).toMatchObject({
        status: 409,
        body: { detail: `You cannot change the status from ${status} to undone.` },
      })
    }
  })

  test('404: another tenant’s execution looks exactly like a missing one', async () => {
    const { id } = await executed('update_contact')
    const other = await governed(local)
    const foreign = await other.undo(id)
    const missing = await other.undo('exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R')

    expect(foreign).toMatchObject({ status: 404, body: { detail: 'execution not found' } })
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
    expect((await acme.look(id)).status).toBe('executed')
  })
})

describe('POST /api/v1/protocol/executions/{request_id}/undo, action with a target', () => {
  test('200: its undo action runs once, as an execution of its own', async () => {
    target.next(json(200, { former: 'Anna' }))
    const { id } = await executed('update_deal')
    const { status, body } = await acme.undo(id)
    const child = await acme.look(body.undo.request_id)

    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'undone', undo: { state: 'done', action_id: 'restore_deal' } })
    expect(child).toMatchObject({
      status: 'executed',
      receipt: { action_id: 'restore_deal', routing_decision: { strategy: 'undo', tier: 'SOFT' } },
    })
    expect(target.calls).toHaveLength(2)
    expect(target.calls[1]?.body).toMatchObject({
      request_id: body.undo.request_id,
      undo_of: id,
      action_id: 'restore_deal',
      payload: { request_id: id, payload: { contact: 'con_1' }, output: { former: 'Anna' } },
    })
    await acme.undo(id)
    expect(target.calls).toHaveLength(2)
  })

  test('200: many at once run the undo action once', async () => {
    const { id } = await executed('update_deal')
    const replies = await Promise.all(Array.from({ length: 10 }, () => acme.undo(id)))

    expect(replies.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect(target.calls).toHaveLength(2)
  })

  test('502: a failing undo action leaves the action as it was, and may be tried again', async () => {
    const { id, until } = await executed('update_deal')
    target.next(json(500, {}))
    const { status, body } = await acme.undo(id)

    expect(status).toBe(502)
    expect(body).toMatchObject({
      status: 'executed',
      detail: 'The undo action failed, so the action stays executed.',
      code: 'target_failed',
      trace_id: expect.any(String),
      undo: { state: 'failed', action_id: 'restore_deal' },
    })
    clock.moveTo(until)
    expect(await acme.undo(id)).toMatchObject({ status: 200, body: { status: 'undone' } })
    expect(target.calls).toHaveLength(3)
  })

  test('502: a repeat with the same Idempotency-Key does not run it again', async () => {
    const { id } = await executed('update_deal')
    target.next(json(500, {}))
    const headers = { 'idempotency-key': 'undo-1' }
    const first = await acme.undo(id, { headers })
    const again = await acme.undo(id, { headers })

    expect(first.status).toBe(502)
    expect(again).toMatchObject({ status: 502, body: first.body, headers: { 'idempotent-replayed': 'true' } })
    expect(target.calls).toHaveLength(2)
  })

  test('200: runs the undo action of the version that ran, whatever was registered since', async () => {
    const { id } = await executed('update_deal')
    bodyOf(await acme.register([{ action_id: 'get_contact' }], { version: '2.0.0' }), 201)

    expect(await acme.undo(id)).toMatchObject({ status: 200, body: { status: 'undone' } })
    expect(target.calls[1]?.body).toMatchObject({ action_id: 'restore_deal', version: '1.0.0' })
  })

  test('200: a brokered action without an undo action is only marked', async () => {
    await acme.register([{ action_id: 'update_deal' }], { id: 'crm.contacts.brokered' })
    const { receipt } = bodyOf(await acme.execute('update_deal', { node_id: 'crm.contacts.brokered' }), 200)

    expect(await acme.undo(receipt.request_id)).toMatchObject({
      status: 200,
      body: {
        status: 'undone',
        undo: { state: 'marked' },
        result: { message: 'Marked as undone. Nothing was called.' },
      },
    })
  })

  test.each([
    ['update_note', null, 'marked', 'Marked as undone. Nothing was called.'],
    ['update_task', expect.stringMatching(/^exe_/), 'done', 'Action undone.'],
  ])(
    '200: %s has no undo that we could call, so the caller compensates',
    async (name, undo_request_id, state, message) => {
      const { id } = await executed(name)
      const events = await acme.told(async () => expect(await acme.undo(id)).toMatchObject({ status: 200 }))

      expect(target.calls).toHaveLength(1)
      expect(events.at(-1)?.data).toMatchObject({ compensation: 'caller', undo_request_id })
      expect(await acme.look(id)).toMatchObject({ status: 'undone', undo: { state }, result: { message } })
    },
  )
})
