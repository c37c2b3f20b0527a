import { beforeEach, describe, expect, test } from 'vitest'
import { type LoggedEvent, walkLog, type Window } from '../../../../shared/deliver/webhooks/event-outcome.ts'
import { Service } from './service.ts'

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

const HOUR = 3_600_000

async function walked(window: Partial<Window> = {}): Promise<LoggedEvent[]> {
  const found = []
  for await (const page of walkLog(it.ctx(), { since: 0, until: it.clock.now(), ...window })) found.push(...page)
  return found
}

const positions = async (window: Partial<Window> = {}) => (await walked(window)).map(({ position }) => position)

const upTo = (count: number, first = 1) => Array.from({ length: count }, (_, index) => first + index)

describe('a walk over the log', () => {
  test('finds nothing where nothing was logged', async () => {
    expect(await positions()).toEqual([])
  })

  test('meets every event once, in order, with its envelope', async () => {
    const logged = [...(await it.log(3)), ...(await it.log(1)), ...(await it.log(5))]

    expect(await walked()).toEqual(logged)
  })

  test('is not bound to one page', async () => {
    for (let count = 0; count < 450; count += 1) await it.log(2)

    expect(await positions()).toEqual(upTo(900))
  })

  test('keeps to its window, both ends included', async () => {
    const from = it.clock.now()
    for (let hour = 0; hour < 30; hour += 1) await it.log(2, { at: from + hour * HOUR })

    const found = await positions({ since: from + 10 * HOUR, until: from + 12 * HOUR })

    expect(found).toEqual(upTo(6, 21))
    expect(it.table.calls.Query).toBeLessThan(20)
  })

  test('meets commits that were logged late', async () => {
    const from = it.clock.now()
    await it.log(1, { at: from + HOUR })
    await it.log(1, { at: from + 0.5 * HOUR })
    await it.log(1, { at: from + 2.5 * HOUR })
    await it.log(1, { at: from + 2 * HOUR })

    expect(await positions({ since: from, until: from + 0.6 * HOUR })).toEqual([2])
    expect(await positions({ since: from + 2 * HOUR, until: from + 2.2 * HOUR })).toEqual([4])
  })

  test('goes on where a commit reaches into the next partition', async () => {
    await it.log(5, { skip: 99_990 })
    await it.log(20)
    await it.log(5)

    expect(await positions()).toEqual(upTo(30, 99_991))
  })

  test('begins behind what has expired', async () => {
    await it.log(3, { skip: 250_000 })
    await it.log(2)

    expect(await positions({ since: it.clock.now() - 24 * HOUR })).toEqual(upTo(5, 250_001))
  })
})
