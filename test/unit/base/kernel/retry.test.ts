import { describe, expect, it } from 'vitest'
import { conflict } from '../../../../shared/base/lib/failure.ts'
import {
  isFirst,
  jitter,
  ChangedMeanwhile,
  retry,
  retryChange,
  retryWhenChanged,
  unlessChangedMeanwhile,
} from '../../../../shared/base/kernel/retry.ts'
import { ConditionFailed } from '../../../../shared/base/table/table.ts'

/** A change that fails with the errors in order, then succeeds. */
function changeFailing(...errors: Error[]) {
  const attempts: number[] = []
  const run = (attempt = attempts.length + 1): Promise<string> => {
    attempts.push(attempt)
    const error = errors[attempts.length - 1]
    return error ? Promise.reject(error) : Promise.resolve('changed')
  }
  return { run, attempts }
}

const failed = () => new ConditionFailed(0, undefined)

describe('retry', () => {
  const busy = conflict('Busy.')
  const away = conflict('Away.')
  const isBusy = { is: (error: unknown) => error === busy, tries: 2 }
  const isAway = { is: (error: unknown) => error === away, tries: 3 }

  it('runs again for its reasons, of which each counts by itself', async () => {
    const { run, attempts } = changeFailing(busy, away, away)
    expect(await retry(run, [isBusy, isAway])).toBe('changed')
    expect(attempts).toEqual([1, 2, 3, 4])
  })

  it('stops when it has met one reason too often, with the last error as it is', async () => {
    const { run, attempts } = changeFailing(busy, away, busy)
    await expect(retry(run, [isBusy, isAway])).rejects.toBe(busy)
    expect(attempts).toEqual([1, 2, 3])
  })

  it('stops at an error that is no reason to go on', async () => {
    const other = changeFailing(busy, failed())
    await expect(retry(other.run, [isBusy])).rejects.toBeInstanceOf(ConditionFailed)
    expect(other.attempts).toEqual([1, 2])
  })

  it('waits before it runs again, and says in its own words that it gave up', async () => {
    const waits: number[] = []
    const sleep = async (ms: number) => void waits.push(ms)
    const random = () => Uint8Array.of(128)
    const pause = (met: number) => jitter({ clock: { sleep }, random }, 100 * met)
    const { run } = changeFailing(away, away, away)
    await expect(retry(run, [{ ...isAway, pause, spent: () => busy }])).rejects.toBe(busy)
    expect(waits).toEqual([50, 100])
  })
})

describe('retryChange', () => {
  it('runs a change again after a failed condition', async () => {
    const { run, attempts } = changeFailing(failed(), failed())
    expect(await retryChange(3, run)).toBe('changed')
    expect(attempts).toEqual([1, 2, 3])
  })

  it('gives up after the last attempt', async () => {
    const { run, attempts } = changeFailing(failed(), failed())
    await expect(retryChange(2, run)).rejects.toThrow('gave up after 2 concurrent changes')
    expect(attempts).toEqual([1, 2])
  })

  it('throws any other error at once', async () => {
    const { run, attempts } = changeFailing(new Error('broken'))
    await expect(retryChange(2, run)).rejects.toThrow('broken')
    expect(attempts).toEqual([1])
  })
})

describe('retryWhenChanged', () => {
  it('runs a change again after a concurrent change of either kind', async () => {
    const { run, attempts } = changeFailing(new ChangedMeanwhile(), failed(), new ChangedMeanwhile())
    expect(await retryWhenChanged(run)).toBe('changed')
    expect(attempts).toHaveLength(4)
  })

  it.each([failed, () => new ChangedMeanwhile()])('answers 409 after four concurrent changes (%#)', async (error) => {
    const { run, attempts } = changeFailing(error(), error(), error(), error())
    await expect(retryWhenChanged(run)).rejects.toMatchObject({ kind: 'conflict' })
    expect(attempts).toHaveLength(4)
  })
})

describe('unlessChangedMeanwhile', () => {
  it.each([failed, () => new ChangedMeanwhile()])('answers nothing after a concurrent change (%#)', async (error) => {
    expect(await unlessChangedMeanwhile(Promise.reject(error()))).toBeUndefined()
  })

  it('answers what the change answers, and throws any other error', async () => {
    expect(await unlessChangedMeanwhile(Promise.resolve('changed'))).toBe('changed')
    await expect(unlessChangedMeanwhile(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })
})

describe('isFirst', () => {
  it('is true of the commit that happened, and false of one that came too late', async () => {
    expect(await isFirst(Promise.resolve())).toBe(true)
    expect(await isFirst(Promise.reject(failed()))).toBe(false)
    await expect(isFirst(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })
})
