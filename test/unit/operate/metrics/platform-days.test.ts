import { beforeEach, expect, test } from 'vitest'
import { handler as steps } from '../../../../functions/workers/steps.ts'
import type { Space } from '../../../../shared/base/context.ts'
import { DAY, HOUR, MINUTE } from '../../../../shared/operate/metrics/state.ts'
import { addToPlatform, platformSums } from '../../../../shared/operate/metrics/platform-days.ts'
import { Service, space, TABLE } from '../../deliver/webhooks/service.ts'
import { dyingAt, logged, measure, RUN } from './space.ts'

const other: Space = { tenant_id: 'ten_2', mode: 'live' }
const sandbox: Space = { tenant_id: 'ten_1', mode: 'test' }

let it: Service
let midnight: number
beforeEach(async () => {
  it = new Service()
  await it.start()
  Object.assign(process.env, {
    QUEUE_BASE: 'https://sqs.memory/',
    DEPLOYMENT: 'countersign',
  })
  midnight = Math.floor(it.clock.now() / DAY) * DAY + DAY
})

const runs = (of: Space, count: number) => logged(it, count, RUN, midnight - HOUR, 'secret.node', of)
const sums = () => platformSums(it.ctx().table, 3)

/** The day is over, and rolled up. */
async function rolledUp(spaces: readonly Space[]): Promise<void> {
  it.clock.moveTo(midnight + 6 * MINUTE)
  await measure(spaces)
}

test('the live spaces of all tenants add their days, and what names a tenant stays out', async () => {
  await runs(space, 4)
  await runs(other, 3)
  await runs(sandbox, 5)
  await rolledUp([space, other, sandbox])
  const body = JSON.stringify({ every: 'day', spaces: [space, other, sandbox] })
  await steps({ Records: [{ messageId: 'm', body }] })

  it.clock.moveTo(midnight + 2 * DAY)
  const { counts, spaces } = await sums()
  expect([counts.sum('r.ok'), counts.sum('d.AUTO.run'), spaces]).toEqual([7, 7, 2])
  expect(JSON.stringify(it.table.item(TABLE, { pk: 'PLATFORM#METRIC', sk: `D#${dayName()}` }))).not.toContain('secret')
})

const dayName = () => new Date(midnight - DAY).toISOString().slice(0, 10)

test('a day is shown once every space has had its time to add it', async () => {
  await runs(space, 4)
  await rolledUp([space])
  await addToPlatform(it.ctx())
  expect((await sums()).counts.all()).toEqual({})

  it.clock.moveTo(midnight + 2 * DAY)
  expect((await sums()).counts.sum('r.ok')).toBe(4)
})

test('a day that is not rolled up waits for the next time, and so do those after it', async () => {
  await runs(space, 4)
  it.clock.moveTo(midnight + 2 * MINUTE)
  await measure()
  await addToPlatform(it.ctx())
  await logged(it, 1, RUN, midnight + HOUR)
  it.clock.moveTo(midnight + DAY + 6 * MINUTE)
  await measure()
  await addToPlatform(it.ctx())

  it.clock.moveTo(midnight + 3 * DAY)
  expect((await sums()).counts.sum('r.ok')).toBe(5)
})

test('each day is added once, wherever the worker dies and however many run at once', async () => {
  for (let call = 1, died = true; died; call += 1) {
    it = new Service()
    await it.start()
    await runs(space, 4)
    await rolledUp([space])
    died = await dyingAt(it, call, () => addToPlatform(it.ctx()))
    await Promise.all([addToPlatform(it.ctx()), addToPlatform(it.ctx())])
    await addToPlatform(it.ctx())

    it.clock.moveTo(midnight + 2 * DAY)
    expect((await sums()).counts.sum('r.ok'), `died at call ${call}`).toBe(4)
    expect(call).toBeLessThan(30)
  }
})

test('a space that was idle stores nothing', async () => {
  const before = it.table.calls.TransactWriteItems
  await addToPlatform(it.ctx())

  expect(it.table.calls.TransactWriteItems).toBe(before)
})
