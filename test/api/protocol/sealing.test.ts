import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { dynamodb } from '../../../shared/base/aws/clients.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { env } from '../../../shared/base/lib/runtime.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { json, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
  const to = { type: 'http', url: target.url, headers: { authorization: 'Bearer marker-header' } }
  acme = await governed(local, [
    { action_id: 'get_contact', target: to },
    { action_id: 'update_contact', target: to, undo_action_id: 'restore_contact' },
    { action_id: 'restore_contact', target: to },
    { action_id: 'delete_contact' },
  ])
})
afterAll(() => target.stop())

const answered = json(200, { name: 'marker-output' })
const payload = { contact: 'marker-payload' }
const once = (name: string) => ({ headers: { 'idempotency-key': name } })

/** The whole table as text, bytes included. */
async function everything(): Promise<string> {
  const { Items = [], LastEvaluatedKey } = await dynamodb().send(new ScanCommand({ TableName: env('TABLE_NAME') }))
  expect(LastEvaluatedKey).toBeUndefined()
  return JSON.stringify(Items, (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  )
}

test('payloads, outputs, commands and header values are stored sealed only', async () => {
  target.next(answered, answered, answered)
  await acme.execute('get_contact', { payload }, once('a'))
  const { receipt } = bodyOf(await acme.execute('update_contact', { payload }, once('b')), 200)
  await acme.undo(receipt.request_id, once('c'))
  const { approval } = await acme.held('delete_contact', { payload }, once('d'))
  await acme.approve(approval.id, {}, once('e'))
  const long = { contact: 'marker-payload', text: 'x'.repeat(9_000) }
  await acme.held('delete_contact', { payload: long })
  await acme.call(agent.execute, { body: { tier: 'AUTO', command: 'list marker-command' } })
  await local.drain()
  const stored = await everything()

  expect(stored).toContain(receipt.request_id)
  expect(stored.match(/marker-[a-z]+/g)).toBeNull()
})

test('a payload over 8 KiB does not stand in the item that every move writes again', async () => {
  const stored = async (characters: number) => {
    const { receipt } = bodyOf(await acme.execute('get_contact', { payload: { text: 'x'.repeat(characters) } }), 200)
    return acme.ctx.table.get(executions, { ...acme.ctx.space, id: receipt.request_id })
  }
  const [short, long] = [await stored(8_000), await stored(8_200)]

  expect(short?.payload?.length).toBeGreaterThan(8_000)
  expect(short).not.toHaveProperty('payload_apart')
  expect(long).toMatchObject({ payload_apart: true })
  expect(long).not.toHaveProperty('payload')
})
