import { beforeEach, describe, expect, test } from 'vitest'
import { handler } from '../../../../functions/workers/steps.ts'
import { checkRuns } from '../../../../shared/assure/checks/run.ts'
import { hasFramework, scheduleRun } from '../../../../shared/assure/runs/schedule-run.ts'
import { newestSlot } from '../../../../shared/ledger/steps/run-step.ts'
import { SPACE } from '../../ledger/evidence/world.ts'
import { type CheckedSpace, checkedSpace, DAY, HOUR } from '../space.ts'

let it: CheckedSpace
beforeEach(async () => {
  it = await checkedSpace()
})

const runs = () => it.ctx.table.query(checkRuns, { pk: `T#${SPACE.tenant_id}#live#CHKRUNS`, prefix: 'run_' })
const daily = () => newestSlot(SPACE, 'day', it.clock.now())

describe('the hourly step', () => {
  test('asks for the checks of the hour, and in the hour of the space’s day for all', async () => {
    await scheduleRun(it.ctx, [daily() + HOUR])
    await it.perform((await runs())[0]?.id ?? '')
    await scheduleRun(it.ctx, [daily()])

    expect((await runs()).map(({ scope }) => String(scope)).toSorted()).toEqual(['full', 'hourly'])
  })

  test('makes up for a day with one run of all checks', async () => {
    await scheduleRun(
      it.ctx,
      Array.from({ length: 24 }, (_, hour) => daily() - DAY + HOUR + hour * HOUR),
    )

    expect((await runs()).map(({ scope }) => scope)).toEqual(['full'])
  })

  test('that comes twice asks for one run', async () => {
    await Promise.all([scheduleRun(it.ctx, [daily()]), scheduleRun(it.ctx, [daily()])])
    await it.perform((await runs())[0]?.id ?? '')
    await scheduleRun(it.ctx, [daily()])

    expect(await runs()).toHaveLength(1)
  })

  test('asks for nothing where no framework is enabled', async () => {
    expect(await hasFramework(it.ctx)).toBe(false)
    await it.enable()

    expect(await hasFramework(it.ctx)).toBe(true)
  })

  test('is among the steps of the worker', async () => {
    await it.enable()
    const body = JSON.stringify({ every: 'hour', spaces: [SPACE] })

    expect(await handler({ Records: [{ messageId: 'm', body }] })).toEqual({ batchItemFailures: [] })
    expect(await runs()).toHaveLength(1)
  })
})
