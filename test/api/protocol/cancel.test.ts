// What was requested and has not begun can be withdrawn by who requested it, and then never runs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { faults } from '../../support/faults.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { heldCommit } from '../../support/held-commit.ts'
import { makeKey } from '../../support/keys.ts'
import { personWith } from '../../support/people.ts'
import { signIn } from '../../support/sign-in.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const { plugin: dying, die, restart } = faults()
const { plugin: holding, hold } = heldCommit()
const local = useLocalStack({ plugins: [dying, holding] })
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())
beforeEach(async () => {
  target.calls.length = 0
  acme = await governed(local, [
    { action_id: 'delete_contact', target: { type: 'http', url: target.url } },
    { action_id: 'delete_note' },
    { action_id: 'get_note' },
    { action_id: 'update_note', undo_action_id: 'restore_note' },
    { action_id: 'restore_note' },
  ])
})

const cancel = (request_id: string, body: object = {}, by: object = {}) =>
  acme.call(protocol.cancel, { ...by, params: { request_id }, body })
const proofs = async (request_id: string): Promise<string[]> =>
  (await acme.look(request_id)).evidence.map(({ type }: { type: string }) => type)

/** Approved by a process that died before its claim. */
async function approvedOnly() {
  const held = await acme.held()
  die({ at: 1, lost: true, command: 'TransactWriteItemsCommand' })
  await acme.approve(held.approval.id)
  restart()
  return held
}

describe('POST /api/v1/protocol/executions/{request_id}/cancel', () => {
  test('200: what waits for approval is cancelled, with its approval, its evidence and one event', async () => {
    const { approval, receipt } = await acme.held()
    const { request_id } = receipt
    let reply
    const events = await acme.told(async () => {
      reply = await cancel(request_id, { reason: 'no longer wanted' })
    })

    expect(reply).toMatchObject({ status: 200, body: { status: 'cancelled', receipt: { request_id } } })
    expect(events.map(({ type }) => type)).toEqual(['evidence.emitted', 'action.rejected'])
    expect(events[1]?.data).toMatchObject({
      approval_id: approval.id,
      rejected_by: expect.stringMatching(/^key_/),
      rejection_method: 'cancelled',
      reason: 'no longer wanted',
    })
    expect(await acme.approval(approval.id)).toMatchObject({
      status: 'cancelled',
      method: 'cancelled',
      evidence_status: 'verified',
    })
    expect(await proofs(request_id)).toEqual(['action.requested', 'approval.cancelled'])
    expect(await acme.approve(approval.id)).toMatchObject({ status: 409 })
    expect(target.calls).toEqual([])
  })

  test('200: again, and nothing changes', async () => {
    const { request_id } = (await acme.held()).receipt
    const first = await cancel(request_id)
    const events = await acme.told(async () =>
      expect(await cancel(request_id, { reason: 'again' })).toMatchObject({ status: 200, body: first.body }),
    )

    expect(events).toEqual([])
  })

  test('200: approved and not yet claimed, after which the sweeper does not run it', async () => {
    const { approval, receipt } = await approvedOnly()

    expect(await cancel(receipt.request_id)).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    await local.advance(60_000)
    await local.sweep()

    expect(target.calls).toEqual([])
    expect(await proofs(receipt.request_id)).toEqual(['action.requested', 'approval.approved', 'approval.cancelled'])
    expect(await acme.approval(approval.id)).toMatchObject({ status: 'cancelled', evidence_status: 'verified' })
  })

  test('never both cancelled and run: a claim that was read before does not commit', async () => {
    const { approval, receipt } = await acme.held()
    const arrived = hold('execution.started')
    const deciding = acme.approve(approval.id)
    const letGo = await arrived
    expect(await cancel(receipt.request_id)).toMatchObject({ status: 200 })
    letGo()

    expect(await deciding).toMatchObject({ status: 409 })
    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'cancelled' })
    expect(target.calls).toEqual([])
  })

  test('409: what has run, was rejected or has expired', async () => {
    const [ran, refused, late] = [await acme.execute('get_note'), await acme.held(), await acme.held()]
    await acme.reject(refused.approval.id)
    expect(await cancel(ran.body.receipt.request_id)).toMatchObject({
      status: 409,
      body: { detail: 'You cannot change the status from executed to cancelled.' },
    })
    expect(await cancel(refused.receipt.request_id)).toMatchObject({ status: 409 })

    local.clock.moveTo(Date.parse(late.approval.expires_at))
    expect(await cancel(late.receipt.request_id)).toMatchObject({
      status: 409,
      body: { detail: 'This approval has expired, and the action with it.' },
    })
    expect(await acme.look(late.receipt.request_id)).toMatchObject({ status: 'expired' })
  })

  test('403: for somebody else, whatever they may decide; the person behind the key may', async () => {
    const { request_id } = (await acme.held()).receipt
    const owner = await signIn(local, acme.owner)
    const stranger = await personWith(local, owner, ['admin'])

    expect(await cancel(request_id, {}, { key: stranger.access_token })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('You did not request this action.') },
    })
    expect(await cancel(request_id, {}, { key: owner.access_token })).toMatchObject({ status: 200 })
  })

  test('404: for another tenant, and in the other mode', async () => {
    const { request_id } = (await acme.held()).receipt
    const other = await local.tenant()

    for (const key of [other.live_key, acme.test_key])
      expect(await cancel(request_id, {}, { key })).toMatchObject({ status: 404 })
    expect(await acme.look(request_id)).toMatchObject({ status: 'pending_approval' })
  })

  test('403: a key that may only read', async () => {
    const { request_id } = (await acme.held()).receipt
    const key = await makeKey(acme, { scopes: ['governance:read'] })

    expect(await cancel(request_id, {}, { key })).toMatchObject({ status: 403 })
  })

  test('200: a held undo is withdrawn, and the action stays executed', async () => {
    const done = bodyOf(await acme.execute('update_note'), 200)
    await acme.policy({
      name: 'ask',
      effect: 'require_approval',
      scope: { action_ids: ['restore_note'] },
      approval: { stages: [{ groups: ['any'] }] },
    })
    const { body } = await acme.undo(done.receipt.request_id)
    expect(body).toMatchObject({ undo: { state: 'held' } })

    expect(await cancel(body.undo.request_id)).toMatchObject({ status: 200 })
    expect(await acme.look(done.receipt.request_id)).toMatchObject({ status: 'executed', undo: { state: 'refused' } })
  })

  test('the task of a command ends with it', async () => {
    const { body } = await acme.call(agent.execute, { body: { tier: 'AUTO', command: 'delete all contacts' } })
    expect(body.status).toBe('pending_approval')

    expect(await cancel(body.execution_id)).toMatchObject({ status: 200, body: { task_id: body.task_id } })
    expect(bodyOf(await acme.call(work.getTask, { params: { id: body.task_id } }), 200)).toMatchObject({
      status: 'cancelled',
    })
  })

  test('a reason with personal data is stored as the tenant wants it', async () => {
    await acme.change({ pii_mode: 'redact' })
    const { approval, receipt } = await acme.held()
    const events = await acme.told(() => cancel(receipt.request_id, { reason: 'asked by ada@example.com' }))

    expect(JSON.stringify(events)).not.toContain('ada@example.com')
    expect(await acme.approval(approval.id)).toMatchObject({ status: 'cancelled' })
  })
})
