import { beforeEach, expect, test } from 'vitest'
import { setRuntime, systemContext } from '../../../../shared/base/context.ts'
import { setTransport } from '../../../../shared/base/lib/safe-http.ts'
import { egressRanges } from '../../../../shared/deliver/webhooks/egress.ts'
import { testClock } from '../../../support/test-clock.ts'
import { answers } from './service.ts'

const published = JSON.stringify({
  prefixes: [
    { ip_prefix: '203.0.113.0/24', region: 'eu-central-1', service: 'EC2' },
    { ip_prefix: '198.51.100.0/24', region: 'eu-central-1', service: 'S3' },
    { ip_prefix: '192.0.2.0/24', region: 'us-east-1', service: 'EC2' },
  ],
})
const clock = testClock(Date.UTC(2026, 10, 20))
const ask = () => egressRanges(systemContext({ tenant_id: 'ten_1', mode: 'live' }))

let asked = 0
const listAnswers = (status: number) =>
  setTransport(async () => {
    asked += 1
    return answers(status, {}, published)
  })

beforeEach(() => {
  delete process.env.OUTBOUND_ALLOW_CIDRS
  Object.assign(process.env, { REGION: 'eu-central-1', TABLE_NAME: 'table' })
  setRuntime({ clock })
  asked = 0
})

test('addresses of our own are returned without a call', async () => {
  process.env.EGRESS_ADDRESSES = '203.0.113.7,203.0.113.8'
  const answer = await ask()
  delete process.env.EGRESS_ADDRESSES

  expect(answer).toMatchObject({ static: true, ip_ranges: ['203.0.113.7/32', '203.0.113.8/32'] })
  expect(asked).toBe(0)
})

test('without a list there is no answer', async () => {
  listAnswers(503)

  await expect(ask()).rejects.toMatchObject({ kind: 'unavailable' })
})

test('the ranges are those of functions in this region, asked for once a day', async () => {
  listAnswers(200)

  expect(await ask()).toMatchObject({ ip_ranges: ['203.0.113.0/24'], static: false, region: 'eu-central-1' })
  await ask()
  expect(asked).toBe(1)
  clock.moveTo(clock.now() + 86_400_000)
  await ask()
  expect(asked).toBe(2)
})

test('on a developer’s machine it is that machine', async () => {
  process.env.OUTBOUND_ALLOW_CIDRS = '127.0.0.1/32'

  expect(await ask()).toMatchObject({ ip_ranges: ['127.0.0.1/32'], static: true })
})
