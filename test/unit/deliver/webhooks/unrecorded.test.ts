import { beforeEach, describe, expect, test } from 'vitest'
import { handler } from '../../../../functions/workers/fan-out-webhook.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import { shownAt } from '../../../../shared/deliver/webhooks/delivery-log.ts'
import { retryDelivery } from '../../../../shared/deliver/webhooks/deliver.ts'
import { answers, received, Service } from './service.ts'

let it: Service
let body: string
beforeEach(async () => {
  it = new Service()
  await it.start()
  await it.endpoint()
  const detail = { ...(await it.event(1)), _position: 1, _mode: 'live' }
  body = JSON.stringify({ source: 'countersign.events', detail })
})

const down = () => {
  throw Object.assign(new Error('The request timed out.'), { name: 'TimeoutError' })
}

/** From the first answer of the receiver on, the next so many writes are refused. */
function refuseWrites(count: number): void {
  let left = count
  it.table.hooks.before = ({ name }) => it.sent.length > 0 && name === 'TransactWriteItems' && left-- > 0 && down()
}

const handle = async (receives = 1) => (await handler({ Records: [received(body, 'm', receives)] })).batchItemFailures

describe('an answer that the table does not take at once', () => {
  test('is recorded by the same worker after a pause, with one POST', async () => {
    refuseWrites(3)

    expect(await handle()).toEqual([])

    expect(it.sent).toHaveLength(1)
    expect(it.deliveries()).toMatchObject([{ status: 'delivered', last: { status_code: 200 } }])
  })

  test('that was taken without a word is found recorded', async () => {
    let lost = 1
    it.table.hooks.after = ({ name }) => it.sent.length > 0 && name === 'TransactWriteItems' && lost-- > 0 && down()

    expect(await handle()).toEqual([])

    expect(it.sent).toHaveLength(1)
    expect(it.deliveries()).toMatchObject([{ status: 'delivered' }])
  })
})

describe('an answer that the table refuses for longer', () => {
  test('is shown as sent and not recorded, and recorded two seconds later without another POST', async () => {
    refuseWrites(4)

    expect(await handle()).toEqual([{ itemIdentifier: 'm' }])
    const [pending] = it.deliveries()
    expect(pending && shownAt(it.clock.now() + 6_000)(pending)).toMatchObject({
      status: 'pending',
      attempt_state: 'sent_not_recorded',
    })
    expect(it.comesBackAfter.get('m')).toBe(2)

    expect(await handle(2)).toEqual([])
    expect(it.sent).toHaveLength(1)
    expect(it.deliveries()).toMatchObject([{ status: 'delivered' }])
  })

  test('is asked for again, by another container, when the lease of the first has ended', async () => {
    refuseWrites(4)
    await handle()
    coldStart()

    expect(await handle(2)).toEqual([{ itemIdentifier: 'm' }])
    const seconds = it.comesBackAfter.get('m') ?? 0
    expect(seconds).toBeGreaterThan(25)
    expect(seconds).toBeLessThanOrEqual(35)
    expect(it.sent).toHaveLength(1)

    it.clock.moveTo(it.clock.now() + seconds * 1_000)
    expect(await handle(3)).toEqual([])
    expect(it.sent).toHaveLength(2)
    expect(new Set(it.sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(it.deliveries()).toMatchObject([{ status: 'delivered' }])
  })

  test('of a retry is recorded by the next run of the state machine without another POST', async () => {
    it.answer = () => answers(500)
    await handle()
    it.answer = () => answers(200)
    const [{ id } = { id: '' }] = it.deliveries()
    const retry = { delivery_id: id, execution_id: 'exec', last: 0 }
    let writes = 0
    it.table.hooks.before = ({ name }) => name === 'TransactWriteItems' && (writes += 1) > 1 && writes < 6 && down()

    await expect(retryDelivery(it.ctx(), retry)).rejects.toThrow('timed out')
    expect(await retryDelivery(it.ctx(), retry)).toMatchObject({ outcome: 'delivered', attempt: 1 })

    expect(it.sent).toHaveLength(2)
  })
})

test('a message that fails again and again comes back later each time', async () => {
  it.table.hooks.before = ({ name }) => name === 'TransactWriteItems' && down()
  const pauses = []
  for (const receives of [1, 2, 3, 4, 5, 6, 7]) {
    await handle(receives)
    pauses.push(it.comesBackAfter.get('m'))
  }

  expect(pauses).toEqual([2, 10, 30, 60, 120, 180, 180])
})
