import { beforeEach, describe, expect, test } from 'vitest'
import type { Space } from '../../../../shared/base/context.ts'
import { takeSlot } from '../../../../shared/ledger/events/stream.ts'
import { Service, space } from '../../deliver/webhooks/service.ts'

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

const take = (max: number, of: Space = space) => takeSlot(it.ctx(of), max, { resumes: false })
const resume = (max: number, reader: string) => {
  const ctx = it.ctx()
  return takeSlot({ ...ctx, principal: { ...ctx.principal, id: reader } }, max, { resumes: true })
}
const refused = { kind: 'rate_limited', options: { code: 'stream_limit', retryAfterSeconds: 30 } }

describe('the places of a tenant and mode', () => {
  test('are as many as its plan has', async () => {
    await take(2)
    await take(2)

    await expect(take(2)).rejects.toMatchObject(refused)
  })

  test('are each taken once, however many ask at once', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 12 }, () => take(5)))

    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })

  test('are counted apart from those of others', async () => {
    await take(1)

    await take(1, { ...space, mode: 'test' })
    await take(1, { ...space, tenant_id: 'ten_2' })
    await expect(take(1)).rejects.toMatchObject(refused)
  })

  test('come free when their streams end', async () => {
    const slot = await take(1)

    await slot.release()

    await take(1)
  })

  test('are taken over by the reader that resumes, and the stream it left ends', async () => {
    const left = await resume(1, 'key_1')

    const resumed = await resume(1, 'key_1')

    expect(await left.renew()).toBe(false)
    expect(await resumed.renew()).toBe(true)
  })

  test('are never taken over by another reader', async () => {
    await resume(1, 'key_1')

    await expect(resume(1, 'key_2')).rejects.toMatchObject(refused)
  })

  test('come free when they are not renewed for 45 seconds', async () => {
    const lost = await take(1)
    it.clock.moveTo(it.clock.now() + 46_000)

    await take(1)
    expect(await lost.renew()).toBe(false)
  })

  test('are kept as long as they are renewed', async () => {
    const slot = await take(1)
    for (let beat = 0; beat < 10; beat += 1) {
      it.clock.moveTo(it.clock.now() + 15_000)
      expect(await slot.renew()).toBe(true)
    }

    await expect(take(1)).rejects.toMatchObject(refused)
  })

  test('that went to somebody else are not given back by their former holder', async () => {
    const lost = await take(1)
    it.clock.moveTo(it.clock.now() + 46_000)
    await take(1)

    await lost.release()

    await expect(take(1)).rejects.toMatchObject(refused)
  })
})
