import { beforeEach, describe, expect, test } from 'vitest'
import { chunks, eventsAfter, oldestRetained } from '../../../../shared/ledger/events/log.ts'
import { Service, space, TABLE } from '../../deliver/webhooks/service.ts'
import { logCommits, upTo } from './log-of.ts'

const DAY = 86_400_000

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

const positionsAfter = async (position: number) => (await eventsAfter(it.ctx(), position)).map((one) => one.position)
const moveHead = (position: number) =>
  it.table.tamper(TABLE, { pk: 'T#ten_1#live#LOG', sk: 'HEAD' }, (head) => ({
    ...head,
    position: { N: String(position) },
  }))

describe('reading after a position', () => {
  test('goes on inside a commit', async () => {
    await logCommits(it, 3)

    expect(await positionsAfter(0)).toEqual(upTo(18))
    expect(await positionsAfter(4)).toEqual(upTo(18, 5))
    expect(await positionsAfter(18)).toEqual([])
  })

  test('stops before a hole: what fills it is not visible yet', async () => {
    await logCommits(it, 1)
    moveHead(12)
    await logCommits(it, 1)

    expect(await positionsAfter(0)).toEqual(upTo(6))
    expect(await positionsAfter(6)).toEqual([])
  })

  test.each([99_994, 99_997, 99_999])('crosses the border of a partition when %i events lie before', async (before) => {
    await logCommits(it, 1)
    moveHead(before)
    await logCommits(it, 2)

    const first = await positionsAfter(before)
    const last = first.at(-1) ?? before
    expect([...first, ...(await positionsAfter(last))]).toEqual(upTo(before + 12, before + 1))
  })
})

describe('the oldest retained position', () => {
  test.each([
    [0, 4],
    [1, 4],
    [5, 3],
    [9, 1],
  ])('is found behind %i expired and before %i retained commits', async (expired, retained) => {
    await logCommits(it, expired)
    it.clock.moveTo(it.clock.now() + 31 * DAY)
    await logCommits(it, retained)
    const last = 6 * (expired + retained)

    expect(await oldestRetained(it.ctx(), last, 1)).toBe(6 * expired + 1)
    expect(await oldestRetained(it.ctx(), last, Math.max(1, 6 * expired - 8))).toBe(6 * expired + 1)
  })

  test('is one past the end when nothing is retained, or nothing was ever logged', async () => {
    expect(await oldestRetained(it.ctx(), 0, 1)).toBe(1)
    await logCommits(it, 2)
    it.clock.moveTo(it.clock.now() + 31 * DAY)

    expect(await oldestRetained(it.ctx(), 12, 1)).toBe(13)
  })

  test('is found although expired commits were deleted', async () => {
    await logCommits(it, 6)
    it.clock.moveTo(it.clock.now() + 31 * DAY)
    await logCommits(it, 1)
    for (const last of [6, 12, 18, 24]) {
      it.table.tamper(TABLE, chunks.key({ ...space, last }), () => undefined)
    }

    expect(await oldestRetained(it.ctx(), 42, 1)).toBe(37)
  })
})
