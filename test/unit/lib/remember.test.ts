import { expect, test } from 'vitest'
import { inParallel } from '../../../shared/lib/in-parallel.ts'
import { remember } from '../../../shared/lib/remember.ts'

test('a map that remembers never holds more than its maximum, and forgets the oldest', () => {
  const map = new Map<string, number>()
  for (let n = 0; n < 10; n += 1) remember(map, `k${n}`, n, 3)

  expect([...map]).toEqual([
    ['k7', 7],
    ['k8', 8],
    ['k9', 9],
  ])
})

test('a known name is changed and costs no other its place', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
  ])
  remember(map, 'a', 3, 2)

  expect([...map]).toEqual([
    ['a', 3],
    ['b', 2],
  ])
})

test('work in parallel keeps its order and its limit, and fails with its first error', async () => {
  let running = 0
  let most = 0
  const work = async (n: number) => {
    most = Math.max(most, (running += 1))
    await Promise.resolve()
    running -= 1
    if (n === 99) throw new Error('99')
    return n * 2
  }

  expect(await inParallel(3, [1, 2, 3, 4, 5, 6, 7], work)).toEqual([2, 4, 6, 8, 10, 12, 14])
  expect(most).toBe(3)
  expect(await inParallel(3, [], work)).toEqual([])
  await expect(inParallel(2, [1, 99, 3], work)).rejects.toThrow('99')
})
