import { beforeEach, describe, expect, test } from 'vitest'
import { tally } from '../../../../shared/base/limits/tally.ts'
import { usageRows } from '../../../../shared/operate/usage/usage-rows.ts'
import { Service, space } from '../../deliver/webhooks/service.ts'
import { logged, measure, RUN } from '../metrics/space.ts'

const MINUTE = 60_000

let it: Service
/** Three runs on the day the tenant is made, nothing on the next, two runs with tokens and a delivery on the third. */
beforeEach(async () => {
  it = new Service()
  await it.start()
  Object.assign(process.env, {
    QUEUE_BASE: 'https://sqs.memory/',
    DEPLOYMENT: 'countersign',
  })
  await logged(it, 3)
  it.clock.moveTo(Date.parse('2026-11-22T10:00:00.000Z'))
  await logged(it, 2, [...RUN, ['t', 40, 9]])
  await tally(it.ctx().table, space, 'dl_ok')
  it.clock.moveTo(it.clock.now() + 2 * MINUTE)
  await measure()
})

const rows = (start_at: string, end_at: string) => usageRows(it.ctx(), { start_at, end_at })
const NOTHING = {
  environment: 'live',
  api_calls: 0,
  executions: 0,
  tokens_input: 0,
  tokens_output: 0,
  tokens_estimated: 0,
  storage_bytes: 639,
  webhook_deliveries: 0,
}

describe('usage rows', () => {
  test('are one for each day since the tenant was made; storage is what there was at its end', async () => {
    expect(await rows('2026-10-01T00:00:00.000Z', '2026-11-22T10:02:00.000Z')).toEqual([
      { ...NOTHING, date: '2026-11-20', executions: 3 },
      { ...NOTHING, date: '2026-11-21' },
      {
        ...NOTHING,
        date: '2026-11-22',
        executions: 2,
        storage_bytes: 1_065,
        tokens_input: 80,
        tokens_output: 18,
        webhook_deliveries: 1,
      },
    ])
  })

  test('are those of the whole days that the window touches, its end left out', async () => {
    const dates = async (start: string, end: string) => (await rows(start, end)).map(({ date }) => date)

    expect(await dates('2026-11-20T00:00:00.000Z', '2026-11-22T00:00:00.000Z')).toEqual(['2026-11-20', '2026-11-21'])
    expect(await dates('2026-11-21T23:59:00.000Z', '2026-11-22T00:01:00.000Z')).toEqual(['2026-11-21', '2026-11-22'])
    expect(await dates('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z')).toEqual([])
    expect(await dates('2026-11-22T00:00:00.000Z', '2027-02-01T00:00:00.000Z')).toEqual(['2026-11-22'])
  })
})
