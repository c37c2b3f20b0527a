import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { describe, expect, test } from 'vitest'
import { health } from '../../../functions/health/routes.ts'
import { clientConfig, dynamodb } from '../../../shared/base/aws/clients.ts'
import { eventbridge } from '../../../shared/base/aws/eventbridge.ts'
import { currentRuntime } from '../../../shared/base/context.ts'
import { send } from '../../support/http.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack({ embedded: true })

describe('the gateway runs the real handlers', () => {
  test('a route answers on both hosts', async () => {
    for (const host of ['api', 'app'] as const) {
      expect(await local.call(health.live, { host })).toMatchObject({ status: 200, body: { status: 'alive' } })
    }
  })

  test('an unknown path is 404 and another method 405, in our form', async () => {
    const unknown = await send(`${local.apiUrl}/none`, { method: 'GET' })
    const other = await send(`${local.apiUrl}/api/health/live`, { method: 'PUT' })

    expect(unknown).toMatchObject({ status: 404, text: expect.stringContaining('"code":"not_found"') })
    expect(other).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  })
})

test('handlers live on the clock of the test', () => {
  expect(currentRuntime().clock).toBe(local.clock)
})

test('a call of a stand-in may take long: a starved machine is slow, not broken', async () => {
  const { requestTimeout, connectionTimeout } = clientConfig().requestHandler

  expect(Math.min(requestTimeout, connectionTimeout)).toBeGreaterThan(5_000)
})

test('each tenant is a new one, with keys of its own', async () => {
  const [one, other] = [await local.tenant(), await local.tenant()]

  expect(one.tenant_id).not.toBe(other.tenant_id)
  expect(new Set([one.live_key, one.test_key, one.approver_key, other.live_key]).size).toBe(4)
})

test('the SDK clients of the service reach the stand-ins', async () => {
  const Item = { pk: { S: 'x' }, sk: { S: 'K' } }
  await expect(dynamodb().send(new PutItemCommand({ TableName: process.env.TABLE_NAME, Item }))).resolves.toBeDefined()

  const Entries = [{ EventBusName: process.env.BUS_NAME, Source: 'test', DetailType: 'test', Detail: '{}' }]
  expect(await eventbridge().send(new PutEventsCommand({ Entries }))).toMatchObject({ FailedEntryCount: 0 })
})
