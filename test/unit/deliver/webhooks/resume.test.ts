import { beforeEach, describe, expect, test } from 'vitest'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { deliveries } from '../../../../shared/deliver/webhooks/delivery.ts'
import { fanOut } from '../../../../shared/deliver/webhooks/fan-out.ts'
import { resumeDelivery } from '../../../../shared/deliver/webhooks/resume.ts'
import { answers, Service } from './service.ts'

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
  await it.endpoint()
})

const resume = (restartedAt: string) => {
  const [delivery] = it.deliveries()
  return resumeDelivery(deliveries.key(delivery ?? { tenant_id: '', mode: 'live', id: '' }), { restartedAt })
}

describe('after a restart', () => {
  test('what waited for its next attempt before is started again at once', async () => {
    it.answer = () => answers(503)
    await fanOut(it.ctx(), await it.event(1), 1)
    it.clock.moveTo(it.clock.now() + 1_000)

    expect(await resume(iso(it.clock.now()))).toBe(true)
  })

  test('what waits since then goes on by itself', async () => {
    const restartedAt = iso(it.clock.now())
    it.answer = () => answers(503)
    await fanOut(it.ctx(), await it.event(1), 1)

    expect(await resume(restartedAt)).toBe(false)
  })

  test('an attempt that is under way is left to who makes it', async () => {
    const restartedAt = iso(it.clock.now())
    const resumed: boolean[] = []
    it.answer = async () => {
      resumed.push(await resume(restartedAt))
      return answers(200)
    }

    await fanOut(it.ctx(), await it.event(1), 1)

    expect(resumed).toEqual([false])
    expect(it.deliveries()).toMatchObject([{ status: 'delivered' }])
  })
})
