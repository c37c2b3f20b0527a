import { describe, expect, it } from 'vitest'
import { conflict } from '../../../../shared/base/lib/failure.ts'
import { Overtaken, retryChange, retryWhenOvertaken, unlessOvertaken } from '../../../../shared/base/table/retry.ts'
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

  it('takes only the given errors for a concurrent change, and throws the last one as it is', async () => {
    const busy = conflict('Busy.')
    const { run, attempts } = changeFailing(busy, busy)
    await expect(retryChange(2, run, (error) => error === busy)).rejects.toBe(busy)
    expect(attempts).toEqual([1, 2])
    const other = changeFailing(failed())
    await expect(retryChange(2, other.run, (error) => error === busy)).rejects.toBeInstanceOf(ConditionFailed)
    expect(other.attempts).toEqual([1])
  })
})

describe('retryWhenOvertaken', () => {
  it('runs a change again after a concurrent change of either kind', async () => {
    const { run, attempts } = changeFailing(new Overtaken(), failed(), new Overtaken())
    expect(await retryWhenOvertaken(run)).toBe('changed')
    expect(attempts).toHaveLength(4)
  })

  it.each([failed, () => new Overtaken()])('answers 409 after four concurrent changes (%#)', async (error) => {
    const { run, attempts } = changeFailing(error(), error(), error(), error())
    await expect(retryWhenOvertaken(run)).rejects.toMatchObject({ kind: 'conflict' })
    expect(attempts).toHaveLength(4)
  })
})

describe('unlessOvertaken', () => {
  it.each([failed, () => new Overtaken()])('answers nothing after a concurrent change (%#)', async (error) => {
    expect(await unlessOvertaken(Promise.reject(error()))).toBeUndefined()
  })

  it('answers what the change answers, and throws any other error', async () => {
    expect(await unlessOvertaken(Promise.resolve('changed'))).toBe('changed')
    await expect(unlessOvertaken(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })
})
