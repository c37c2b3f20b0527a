import { beforeEach, describe, expect, test } from 'vitest'
import type { Measure } from '../../../../shared/base/catalog/measures.ts'
import { fanOut } from '../../../../shared/deliver/webhooks/fan-out.ts'
import { retryDelivery } from '../../../../shared/deliver/webhooks/deliver.ts'
import { readBenchmarks } from '../../../../shared/operate/metrics/benchmarks.ts'
import { DAY, MINUTE } from '../../../../shared/operate/metrics/state.ts'
import { addToPlatform } from '../../../../shared/operate/metrics/platform-days.ts'
import { answers, Service } from '../../deliver/webhooks/service.ts'
import { logged, measure } from './space.ts'

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
  Object.assign(process.env, {
    QUEUE_BASE: 'https://sqs.memory/',
    DEPLOYMENT: 'countersign',
  })
})

/** Two days after the present one. */
async function published() {
  it.clock.moveTo(Math.ceil(it.clock.now() / DAY) * DAY + 6 * MINUTE)
  await measure()
  await addToPlatform(it.ctx())
  it.clock.moveTo(it.clock.now() + 2 * DAY)
  return readBenchmarks(it.ctx().table)
}

describe('benchmarks', () => {
  test('of deliveries show the success of the first attempt, and how long the delivered ones took', async () => {
    await it.endpoint()
    await fanOut(it.ctx(), await it.event(1), 1)
    it.answer = () => answers(500)
    await fanOut(it.ctx(), await it.event(2), 2)
    const { id: delivery_id = '' } = it.deliveries().find(({ status }) => status === 'retrying') ?? {}
    it.clock.moveTo(it.clock.now() + 12_000)
    it.answer = () => answers(200)
    await retryDelivery(it.ctx(), { delivery_id, execution_id: 'exec', last: 0 })
    const [, deliveries] = await published()

    expect(deliveries).toMatchObject({
      first_attempt_success_percent: 50,
      delivered_percent: 100,
      p95_ms: 28_000, // between the edges of 10 and 30 seconds
      sample_size: 2,
    })
  })

  test('of verifications are artifacts by the time that reading them took', async () => {
    const walks: Measure[] = [
      ['w', 3_000, 100],
      ['w', 1_000, 100],
    ]
    await logged(it, 1, walks)
    const [, , verifications] = await published()

    expect(verifications).toMatchObject({ artifacts_per_second: 20_000, sample_size: 2 })
  })

  test('name the day that they are of', async () => {
    const today = new Date(it.clock.now()).toISOString().slice(0, 10)

    for (const one of await published()) expect(one.start_at).toBe(`${today}T00:00:00.000Z`)
  })
})
