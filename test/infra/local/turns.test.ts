import { describe, expect, test } from 'vitest'
import { Turns } from '../../../infra/local/turns.ts'

/** Two at a time and three in the queue, whose patience ends when the test says so. */
function turns(limits = { running: 2, waiting: 3 }) {
  const waits: (() => void)[] = []
  const patience = () => new Promise<void>((resolve) => waits.push(resolve))
  return { ...limits, waits, turns: new Turns({ ...limits, patience }) }
}

/** What is known of each without waiting for anybody. */
async function now(taken: readonly Promise<boolean>[]): Promise<(boolean | 'waits')[]> {
  const settled = Promise.resolve().then(() => Promise.resolve('waits' as const))
  return Promise.all(taken.map((one) => Promise.race([one, settled])))
}

describe('turns', () => {
  test('are given at once while there is room, then wait, and beyond the queue are refused at once', async () => {
    const { turns: each } = turns()
    const taken = Array.from({ length: 7 }, () => each.take())

    expect(await now(taken)).toEqual([true, true, 'waits', 'waits', 'waits', false, false])
  })

  test('pass on in order of arrival', async () => {
    const { turns: each } = turns()
    const taken = Array.from({ length: 5 }, () => each.take())
    each.done()
    expect(await now(taken)).toEqual([true, true, true, 'waits', 'waits'])
    each.done()
    each.done()
    expect(await now(taken)).toEqual([true, true, true, true, true])
  })

  test('never run more at a time than allowed, whatever comes and goes', async () => {
    const { turns: each } = turns({ running: 3, waiting: 100 })
    let running = 0
    let most = 0
    const run = async () => {
      if (!(await each.take())) return
      most = Math.max(most, (running += 1))
      await Promise.resolve()
      running -= 1
      each.done()
    }
    await Promise.all(Array.from({ length: 60 }, run))

    expect({ most, running }).toEqual({ most: 3, running: 0 })
    expect(await now([each.take(), each.take(), each.take(), each.take()])).toEqual([true, true, true, 'waits'])
  })

  test('are refused to whoever has waited long enough, and cost nobody else theirs', async () => {
    const { turns: each, waits } = turns()
    const taken = Array.from({ length: 4 }, () => each.take())
    waits[0]?.()
    await Promise.resolve()
    expect(await now(taken)).toEqual([true, true, false, 'waits'])

    each.done()
    expect(await now(taken)).toEqual([true, true, false, true])
  })

  test('that were given are not taken back when patience ends later', async () => {
    const { turns: each, waits } = turns()
    const taken = Array.from({ length: 3 }, () => each.take())
    each.done()
    waits[0]?.()

    expect(await now([...taken, each.take()])).toEqual([true, true, true, 'waits'])
  })
})
