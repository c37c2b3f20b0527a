import { describe, expect, test } from 'vitest'
import { inParallel } from '../../../../shared/base/lib/in-parallel.ts'
import { coldStart, memory, once } from '../../../../shared/base/lib/memory.ts'

describe('a memory', () => {
  test('never holds more than its maximum, and forgets first what was set first', () => {
    const map = memory<number>(3)
    for (let n = 0; n < 10; n += 1) map.set(`k${n}`, n)

    expect([...map]).toEqual([
      ['k7', 7],
      ['k8', 8],
      ['k9', 9],
    ])
  })

  test('changes a known name at no other’s cost', () => {
    const map = memory<number>(2).set('a', 1).set('b', 2).set('a', 3)

    expect([...map]).toEqual([
      ['a', 3],
      ['b', 2],
    ])
  })
})

describe('what is loaded once', () => {
  test('is loaded once for all who ask at the same time', async () => {
    let loads = 0
    const load = once(async () => (loads += 1))

    expect(await Promise.all([load(), load()])).toEqual([1, 1])
  })

  test('is loaded again after a load that failed', async () => {
    let loads = 0
    const load = once(async () => {
      if ((loads += 1) === 1) throw new Error('down')
      return loads
    })

    await expect(load()).rejects.toThrow('down')
    expect(await load()).toBe(2)
  })
})

test('a new container remembers nothing', async () => {
  let loads = 0
  const map = memory<number>().set('a', 1)
  const load = once(async () => (loads += 1))
  await load()

  coldStart()

  expect(map.size).toBe(0)
  expect(await load()).toBe(2)
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
