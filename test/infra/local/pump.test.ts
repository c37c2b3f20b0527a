import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startPump } from '../../../infra/local/pump.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const turn = () => vi.advanceTimersByTimeAsync(0)

test('work goes on at once as long as there is some, then rests', async () => {
  let left = 3
  let runs = 0
  const pump = startPump(
    async () => {
      runs += 1
      left -= 1
      return left > 0
    },
    { idleMs: 1_000, onError: () => {} },
  )

  await turn()
  expect(runs).toBe(3)
  await vi.advanceTimersByTimeAsync(999)
  expect(runs).toBe(3)
  await vi.advanceTimersByTimeAsync(1)
  expect(runs).toBe(4)
  await pump.stop()
})

test('waking ends the pause, and a wake during the work is not lost', async () => {
  let runs = 0
  const pump = startPump(
    async () => {
      runs += 1
      if (runs === 1) pump.wake()
      return false
    },
    { idleMs: 1_000, onError: () => {} },
  )

  await turn()
  expect(runs).toBe(2)
  pump.wake()
  await turn()
  expect(runs).toBe(3)
  await pump.stop()
})

test('failures are reported and tried again with growing pauses', async () => {
  const errors: unknown[] = []
  const pump = startPump(() => Promise.reject(new Error('down')), { idleMs: 1, onError: (error) => errors.push(error) })

  const counts: number[] = []
  for (const ms of [0, 100, 200, 400]) {
    await vi.advanceTimersByTimeAsync(ms)
    counts.push(errors.length)
  }

  expect(counts).toEqual([1, 2, 3, 4])
  await pump.stop()
})

test('stopping waits for the work under way', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const pump = startPump(() => promise, { idleMs: 1, onError: () => {} })
  await turn()
  let stopped = false
  const stopping = pump.stop().then(() => (stopped = true))

  await turn()
  expect(stopped).toBe(false)
  resolve(true)
  await stopping
})
