import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { loadInputs } from '../../../shared/govern/executions/inputs.ts'
import { ExecuteBody } from '../../../shared/govern/executions/request.ts'
import { decideOn } from '../../../shared/govern/protocol/decide.ts'
import { submit } from '../../../shared/govern/protocol/submit.ts'
import { bodyOf, type Governed, governed, manifestOf, NODE_ID, requestOf } from '../../support/governed.ts'
import { faults } from '../../support/faults.ts'
import { makeKey } from '../../support/keys.ts'
import { startTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const REFUND = { payload: { charge: 'ch_1', amount: 40, currency: 'EUR' } }
const ENDPOINTS = [{ action_id: 'refund_payment' }, { action_id: 'update_contact' }]

const { plugin, die, restart } = faults()
const local = useLocalStack({ plugins: [plugin] })
let acme: Governed
beforeEach(async () => {
  acme = await governed(local, ENDPOINTS)
  await acme.change({ refusal_holds_s: 600, answer_repeats: true })
})

const refund = (body: object = REFUND, by: { key?: string } = {}) =>
  acme.call(protocol.execute, { ...by, body: { node_id: NODE_ID, action_id: 'refund_payment', ...body } })
const refundKeyed = (body: object = REFUND, key?: string, once = acme.ctx.id('key')) =>
  acme.execute('refund_payment', body, { key, headers: { 'idempotency-key': once } })
const heldKeyed = async (body: object = REFUND, key?: string) => bodyOf(await refundKeyed(body, key), 202)
const shown = async ({ approval: { id } }: { approval: { id: string } }) => (await acme.approval(id)).repeats
const pending = async () => bodyOf(await acme.call(approvals.list), 200).items

describe('a request that equals one which waits', () => {
  test('202: is answered by that one, and nobody is asked again', async () => {
    const first = bodyOf(await refund(), 202)
    const told = await acme.told(async () => {
      const again = await refund()
      expect(again).toMatchObject({ status: 202, body: { repeated: true, approval: first.approval } })
      expect(again.headers.location).toBe(`/api/v1/work/approvals/${first.approval.id}`)
      expect(again.body.receipt.request_id).toBe(first.receipt.request_id)
    })
    expect(first).not.toHaveProperty('repeated')
    expect(told).toEqual([])
    expect(await pending()).toHaveLength(1)
  })

  test('202: three refunds with three keys make one approval, and each key gives its own answer again', async () => {
    const keys = ['first', 'second', 'third']
    const sent = () => Promise.all(keys.map((once) => refundKeyed(REFUND, undefined, once)))
    const first = bodyOf(await refundKeyed(REFUND, undefined, 'first'), 202)
    const told = await acme.told(async () => {
      const answers = await sent()
      expect(answers.map(({ body }) => body.approval)).toEqual([first.approval, first.approval, first.approval])
      expect(answers.map(({ body }) => body.repeated)).toEqual([undefined, true, true])
      expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', undefined, undefined])

      await acme.reject(first.approval.id)
      const again = await sent()
      expect(again.map(({ body }) => body)).toEqual(answers.map(({ body }) => body))
      expect(again.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', 'true', 'true'])
    })
    expect(told.map(({ type }) => type)).not.toContain('action.requested')
    const other = { payload: { ...REFUND.payload, amount: 41 } }
    expect((await refundKeyed(other, undefined, 'second')).body.code).toBe('idempotency_mismatch')
  })

  test('202: is one of its own where the tenant wants it so', async () => {
    await acme.change({ answer_repeats: false })
    const ids = [bodyOf(await refund(), 202), bodyOf(await refund(), 202), await heldKeyed()]
    expect(new Set(ids.map(({ receipt }) => receipt.request_id)).size).toBe(3)
  })

  test('202: is one of its own for another payload, another caller, or another version', async () => {
    const ids = [
      bodyOf(await refund(), 202),
      bodyOf(await refund({ payload: { ...REFUND.payload, amount: 41 } }), 202),
      bodyOf(await refund(REFUND, { key: await makeKey(acme) }), 202),
    ].map(({ receipt }) => receipt.request_id)
    await acme.register(ENDPOINTS, { version: '1.0.1' })
    ids.push(bodyOf(await refund(), 202).receipt.request_id)
    expect(new Set(ids).size).toBe(4)
  })

  test('202: is one of its own once the first has expired', async () => {
    await acme.change({ approval_ttl_s: 60 })
    const first = bodyOf(await refund(), 202)
    await local.advance(61_000)
    expect(bodyOf(await refund(), 202).receipt.request_id).not.toBe(first.receipt.request_id)
  })

  test('adds nothing to the queue of a caller that is full', async () => {
    await acme.change({ max_open_approvals: 1 })
    const first = bodyOf(await refund(), 202)
    expect(await refund()).toMatchObject({ status: 202, body: { repeated: true, approval: { id: first.approval.id } } })
    expect(await refundKeyed()).toMatchObject({ status: 202, body: { repeated: true } })
    expect((await refund({ payload: { ...REFUND.payload, amount: 41 } })).status).toBe(403)
  })

  test('at the same moment: one waits and answers the others, before the index shows it', async () => {
    const body = ExecuteBody.parse({ node_id: NODE_ID, action_id: 'refund_payment', ...REFUND })
    const asks = async (person: string) => {
      const ctx = requestOf(acme, person)
      return [ctx, await decideOn(ctx, await loadInputs(ctx.table, ctx.space, { body }), body)] as const
    }
    const decided = await Promise.all(['usr_one', 'usr_one', 'usr_other'].map(asks))
    const [first, second, other] = await Promise.all(decided.map(([ctx, submission]) => submit(ctx, submission)))

    const waiting = await pending()
    expect(waiting).toHaveLength(2)
    expect(first?.execution.id).toBe(second?.execution.id)
    expect([first?.repeated, second?.repeated].filter(Boolean)).toHaveLength(1)
    expect(other?.repeated).toBeUndefined()
  })

  test('at the same moment as one that was decided at once: it is held by itself', async () => {
    const ctx = requestOf(acme, 'usr_one')
    const body = ExecuteBody.parse({ node_id: NODE_ID, action_id: 'refund_payment', ...REFUND })
    const again = await decideOn(ctx, await loadInputs(ctx.table, ctx.space, { body }), body)
    const first = await submit(ctx, await decideOn(ctx, await loadInputs(ctx.table, ctx.space, { body }), body))
    await acme.approve(first.execution.held?.id ?? '')

    const { execution, repeated } = await submit(requestOf(acme, 'usr_one'), again)
    expect(repeated).toBeUndefined()
    expect(execution).toMatchObject({ status: 'pending_approval' })
    expect(execution.held?.id).not.toBe(first.execution.held?.id)
  })
})

describe('an approval shows what it repeats', () => {
  beforeEach(() => acme.change({ answer_repeats: false }))

  test('three refunds: each says what became of the others', async () => {
    const [first, second, third] = [await heldKeyed(), await heldKeyed(), await heldKeyed(REFUND, await makeKey(acme))]
    bodyOf(await acme.approve(first.approval.id), 200)
    await acme.reject(second.approval.id, { reason: 'paid already' })

    expect(await shown(third)).toMatchObject([
      { approval_id: second.approval.id, status: 'rejected', reason: 'paid already', decided_by: { type: 'api_key' } },
      { approval_id: first.approval.id, request_id: first.receipt.request_id, status: 'executed' },
    ])
    expect(await acme.approval(third.approval.id)).not.toHaveProperty('repeat_key')
    await local.advance(86_400_000)
    expect(await shown(third)).toBeUndefined()
  })

  test('neither another payload nor another person is the same', async () => {
    await heldKeyed({ payload: { ...REFUND.payload, amount: 41 } })
    await heldKeyed(REFUND, await makeKey(acme, { created_by: 'usr_other' }))
    expect(await shown(await heldKeyed())).toBeUndefined()
  })
})

test('the other mode knows nothing of it', async () => {
  const sandbox = await governed(local, ENDPOINTS, { mode: 'test' })
  const body = { node_id: NODE_ID, action_id: 'refund_payment', ...REFUND }
  const first = bodyOf(await sandbox.call(protocol.execute, { body }), 202)
  const key = sandbox.live_key
  const live = await sandbox.call(protocol.registerManifest, { key, body: manifestOf(ENDPOINTS) })
  bodyOf(live, 200, 201)
  const other = bodyOf(await sandbox.call(protocol.execute, { key, body }), 202)
  expect(other.approval.id).not.toBe(first.approval.id)
  expect(bodyOf(await sandbox.call(approvals.get, { key, params: { id: other.approval.id } }), 200)).not.toHaveProperty(
    'repeats',
  )
})

describe('a request that equals one which people rejected', () => {
  test('403 refused_before: nobody is asked within refusal_holds_s, whatever key is sent, and by whichever agent of the person', async () => {
    const first = await heldKeyed()
    await acme.reject(first.approval.id, { reason: 'paid already' })
    const again = await refund()

    expect(again).toMatchObject({ status: 403, body: { code: 'refused_before', status: 'rejected' } })
    expect(again.body.detail).toContain(first.approval.id)
    expect(Number(again.headers['retry-after'])).toBeGreaterThan(590)
    expect((await refundKeyed()).body.code).toBe('refused_before')
    expect((await refund(REFUND, { key: await makeKey(acme) })).body.code).toBe('refused_before')
    expect((await refund(REFUND, { key: await makeKey(acme, { created_by: 'usr_other' }) })).status).toBe(202)
    expect((await refund({ payload: { ...REFUND.payload, amount: 41 } })).status).toBe(202)
    await local.drain()
    const { evidence, receipt } = await acme.look(again.body.receipt.request_id)
    expect(evidence).toMatchObject([{ type: 'action.rejected' }])
    expect(receipt.policy_evaluations).toContainEqual(
      expect.objectContaining({ policy_id: 'refused_before', result: 'forbid' }),
    )
  })

  test('people are asked again after that time, and always with 0', async () => {
    await acme.reject((await heldKeyed()).approval.id)
    await local.advance(601_000)
    const next = await heldKeyed()
    await acme.change({ refusal_holds_s: 0 })
    await acme.reject(next.approval.id)
    expect((await refund()).status).toBe(202)
  })

  test('what was cancelled was refused by nobody', async () => {
    const { receipt } = await heldKeyed()
    await acme.change({ refusal_holds_s: 3_600 })
    const params = { request_id: receipt.request_id }
    bodyOf(await acme.call(protocol.cancel, { params, body: {} }), 200)
    expect((await refund()).status).toBe(202)
  })
})

describe('policies read how long ago it was', () => {
  const when = (field: string) => ({ field, op: 'lt', value: 3_600 })
  const forbid = (field: string) => acme.policy({ name: field, effect: 'forbid', when: when(field) })

  test('request.repeated: since an equal one ran, or since one that waits was made', async () => {
    await forbid('request.repeated')
    const first = await heldKeyed()
    expect((await refundKeyed()).body.code).toBe('policy_rejected')
    expect((await heldKeyed({ payload: { charge: 'ch_2' } })).status).toBe('pending_approval')
    bodyOf(await acme.approve(first.approval.id), 200) // it does not repeat itself
    await local.advance(3_500_000)
    expect((await refundKeyed()).body.code).toBe('policy_rejected')
    await local.advance(200_000)
    expect((await refundKeyed()).status).toBe(202)
  })

  test('a call that the sweeper repeats after a crash is no repeat', async () => {
    const target = await startTarget()
    const endpoint = { action_id: 'update_contact', idempotency: true, target: { type: 'http', url: target.url } }
    await acme.register([endpoint], { version: '1.0.1' })
    await forbid('request.repeated')
    die({ at: 1, lost: true, command: 'TransactWriteItemsCommand' })
    expect((await acme.execute('update_contact')).status).toBe(500)
    expect(restart()).toBe(true)
    await local.advance(31_000)
    await local.sweep()
    expect(target.calls).toHaveLength(1)
    await target.stop()
  })

  test('request.refused: since people rejected an equal one', async () => {
    await acme.change({ refusal_holds_s: 0 })
    await forbid('request.refused')
    await acme.reject((await heldKeyed()).approval.id)
    expect((await refund()).body.code).toBe('policy_rejected')
    await local.advance(3_601_000)
    expect((await refund()).status).toBe(202)
  })

  test('what ran meanwhile counts when a twin is decided, which then needs what the policy asks', async () => {
    await acme.policy({
      name: 'twins need two',
      effect: 'require_approval',
      when: when('request.repeated'),
      approval: { stages: [{ groups: ['any'], min_approvals: 2 }] },
    })
    await acme.change({ answer_repeats: false })
    const first = await heldKeyed()
    await local.advance(1_000)
    const second = await heldKeyed()
    expect((await acme.approve(first.approval.id)).body.status).toBe('approved')
    expect((await acme.approve(second.approval.id)).body.status).toBe('pending')
  })
})
