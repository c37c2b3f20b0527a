import { beforeAll, expect, test } from 'vitest'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await local.tenant()
})

test('GET /api/webhooks/ips: 200 with the address that receivers see', async () => {
  expect(await acme.call(webhooks.ips)).toMatchObject({ status: 200, body: { ip_ranges: ['127.0.0.1/32'] } })
})

test('GET /api/webhooks/event-types: 200 with schema and example of every type', async () => {
  const { body } = await acme.call(webhooks.eventTypes)
  const approved = body.items.find(({ type }: { type: string }) => type === 'action.approved')

  expect(body.items).toHaveLength(45)
  expect(approved).toMatchObject({ category: 'governance', extension: false, schema: { type: 'object' } })
  expect(approved.schema.required).toContain('risk_tier')
  expect(approved.example).toMatchObject({ risk_tier: 'HARD' })
})
