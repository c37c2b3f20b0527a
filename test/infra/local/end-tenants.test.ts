import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { health } from '../../../functions/health/routes.ts'
import { createQueues } from '../../../infra/local/sqs.ts'
import { endTenants } from '../../support/end-tenants.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { MemoryTable } from '../../support/memory-table.ts'
import { testClock } from '../../support/test-clock.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

describe('a tenant that ends', () => {
  test('leaves no item, no record in the stream and no message, and all of others', async () => {
    const table = new MemoryTable()
    const client = table.client()
    const db = new DatabaseSync(':memory:')
    const queues = createQueues(db, {}, 'http://sqs', testClock())
    const items = [
      { pk: 'T#ten_A#live', sk: 'S' },
      { pk: 'SESSION#1', sk: 'S', tenant_id: 'ten_A' },
      { pk: 'T#ten_AB#live', sk: 'S' },
      { pk: 'SESSION#2', sk: 'S', tenant_id: 'ten_B' },
    ]
    for (const item of items) await client.send(new PutItemCommand({ TableName: 'table', Item: marshall(item) }))
    for (const id of ['ten_A', 'ten_B']) queues.send('work', JSON.stringify({ tenant_id: id }))

    endTenants(['ten_A'], { table, queues: db })

    const left = ['T#ten_AB#live', 'SESSION#2']
    expect(table.items('table').map(({ pk }) => pk?.S)).toEqual(left)
    expect(table.stream.filter(({ table: of }) => of === 'table').map(({ keys }) => keys.pk?.S)).toEqual(left)
    expect(table.stream.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3])
    expect(queues.receive('work', 10).map(({ body }) => body)).toEqual(['{"tenant_id":"ten_B"}'])
  })
})

describe('a stack of a test file', () => {
  const local = useLocalStack()
  const statusOf = async ({ call }: TestTenant) => (await call(health.detailed)).status
  let kept: TestTenant
  beforeAll(async () => {
    kept = await local.tenant()
  })

  test('ends the tenants of a test and keeps those of before all tests', async () => {
    const founded = await local.tenant()
    expect(await statusOf(founded)).toBe(200)

    local.endFounded() // as after each test

    expect(await statusOf(founded)).toBe(401)
    expect(await statusOf(kept)).toBe(200)
  })
})
