// PII mode `redact`: the action runs on the exact payload, and whoever looks at it sees placeholders.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { json, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
  const to = { type: 'http', url: target.url }
  acme = await governed(local, [
    { action_id: 'get_contact', target: to },
    { action_id: 'update_contact' },
    { action_id: 'delete_contact', target: to },
  ])
  await acme.change({ pii_mode: 'redact' })
})
afterAll(() => target.stop())
beforeEach(() => {
  target.calls.length = 0
})

const payload = { subject: 'ann@example.com', note: 'call ann@example.com or bob@example.com' }
const masked = { subject: '[EMAIL_1]', note: 'call [EMAIL_1] or [EMAIL_2]' }

test('200: payload and output are echoed with placeholders, also later and repeated; the target gets the exact payload', async () => {
  target.next(json(200, { found: 'bob@example.com', by: 'eve@example.com' }))
  const result = { payload_echo: masked, output: { found: '[EMAIL_2]', by: '[EMAIL_3]' } }
  const headers = { 'idempotency-key': 'masked-1' }
  const { status, body } = await acme.execute('get_contact', { payload }, { headers })

  expect({ status, body }).toMatchObject({ status: 200, body: { result } })
  expect(target.calls.map((call) => call.body.payload)).toEqual([payload])
  expect((await acme.execute('get_contact', { payload }, { headers })).body).toEqual(body)
  expect((await acme.look(body.receipt.request_id)).result).toMatchObject(result)
})

test('200: approvers see placeholders without the salt that would help to guess, and approve the exact bytes', async () => {
  const { approval, result } = await acme.held('delete_contact', { payload })
  const detail = await acme.approval(approval.id)
  const approved = bodyOf(await acme.approve(approval.id, { action_digest: detail.action_digest }), 200)

  expect(result.payload_echo).toEqual(masked)
  expect(detail).toMatchObject({ payload: masked, payload_salt: null })
  expect(approved.execution).toMatchObject({ status: 'executed', result: { payload_echo: masked } })
  expect(target.calls.map((call) => call.body.payload)).toEqual([payload])
})

test('200: a payload without personal data is shown with its salt', async () => {
  const { approval } = await acme.held()

  expect(await acme.approval(approval.id)).toMatchObject({
    payload: { contact: 'con_1' },
    payload_salt: expect.stringMatching(/^[\da-f]{64}$/),
  })
})

test('200: an undone action and a command of an agent are shown alike', async () => {
  const soft = bodyOf(await acme.execute('update_contact', { payload }), 200)
  const undone = [await acme.undo(soft.receipt.request_id), await acme.undo(soft.receipt.request_id)]
  const task = await acme.call(agent.execute, { body: { tier: 'AUTO', command: 'Find ann@example.com.' } })

  for (const { body } of undone) expect(body).toMatchObject({ status: 'undone', result: { payload_echo: masked } })
  expect(task.body.result.payload_echo).toEqual({ command: 'Find [EMAIL_1].' })
})

test('200: in mode detect everything is shown as it is', async () => {
  const tenant = await governed(local)

  expect((await tenant.execute('get_contact', { payload })).body.result.payload_echo).toEqual(payload)
})
