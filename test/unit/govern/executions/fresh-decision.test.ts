import { expect, test } from 'vitest'
import type { Context } from '../../../../shared/base/context.ts'
import { committedFresh, freshDecision, type Submission } from '../../../../shared/govern/executions/submission.ts'

const at = (now: number) => ({ now: () => now }) as Context // nothing else of it is asked for
/** `later`: when each decision after it reads; the last one from then on. */
const decided = (read_at: number, later: number[] = []): Submission => {
  const again = async () => decided(later.shift() ?? read_at)
  return { read_at, again } as Submission // the rest is not looked at
}
const commit = (now: number) => async (submission: Submission) => {
  await freshDecision(at(now), submission).following()
  return submission.read_at
}

test('a decision commits up to two seconds after its read, and is made anew after that', async () => {
  expect(await committedFresh(decided(1_000), commit(3_000))).toBe(1_000)
  expect(await committedFresh(decided(1_000, [3_001]), commit(3_001))).toBe(3_001)
  expect(await committedFresh(decided(0, [1_000, 3_001]), commit(3_001))).toBe(3_001)
})

test('nothing is committed when it is always too late', async () => {
  await expect(committedFresh(decided(0), commit(2_001))).rejects.toMatchObject({ kind: 'unavailable' })
})
