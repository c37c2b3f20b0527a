import { beforeEach, expect, test } from 'vitest'
import { openTable } from '../../../../shared/base/context.ts'
import { UNLIMITED } from '../../../../shared/base/limits/plans.ts'
import { takeOne, usageOf } from '../../../../shared/base/limits/window.ts'
import { type Deployment, deploy } from '../../edge/deployment.ts'

const figures = { perMinute: 10, perSecond: 5, perDay: 20 }
const SECOND = 1_000

let it: Deployment
beforeEach(async () => {
  it = await deploy()
})

const take = async (count: number, of = figures) => {
  for (let taken = 0; taken < count; taken += 1) await takeOne(openTable(), 'T#ten_1#live#RL', of)
}
const usage = (of = figures) => usageOf(openTable(), 'T#ten_1#live#RL', of)
const later = (ms: number) => it.clock.moveTo(it.clock.now() + ms)

test('nothing was taken: every window is whole, and ends when its time is over', async () => {
  const second = Math.floor(it.clock.now() / SECOND)

  expect(await usage()).toEqual({
    second: { limit: 5, used: 0, remaining: 5, reset: second + 1 },
    minute: { limit: 10, used: 0, remaining: 10, reset: second - (second % 60) + 60 },
    day: { limit: 20, used: 0, remaining: 20, reset: second - (second % 86_400) + 86_400 },
  })
})

test('what was taken shows in each window until it ends', async () => {
  await take(3)
  expect(await usage()).toMatchObject({ second: { used: 3 }, minute: { used: 3 }, day: { used: 3 } })

  later(SECOND)
  expect(await usage()).toMatchObject({ second: { used: 0 }, minute: { used: 3 }, day: { used: 3 } })

  later(60 * SECOND)
  expect(await usage()).toMatchObject({ minute: { used: 0 }, day: { used: 3, remaining: 17 } })

  later(86_400 * SECOND)
  expect(await usage()).toMatchObject({ day: { used: 0 } })
})

test('figures that were lowered meanwhile leave nothing, never less', async () => {
  await take(4)

  expect(await usage({ perMinute: 3, perSecond: 2, perDay: 1 })).toMatchObject({
    second: { remaining: 0 },
    minute: { used: 4, remaining: 0 },
    day: { remaining: 0 },
  })
})

test('an unlimited day stays unlimited, and shows what was taken in all of it', async () => {
  const unlimited = { ...figures, perDay: UNLIMITED }
  await take(2, unlimited)
  later(60 * SECOND)
  await take(1, unlimited)

  expect(await usage(unlimited)).toMatchObject({ minute: { used: 1 }, day: { used: 3, remaining: UNLIMITED } })
})
