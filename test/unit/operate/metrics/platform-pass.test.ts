import { beforeEach, describe, expect, test, vi } from 'vitest'
import { PLATFORM_METRICS } from '../../../../shared/base/catalog/platform-metrics.ts'
import type { Measure } from '../../../../shared/base/catalog/measures.ts'
import { tally } from '../../../../shared/base/limits/tally.ts'
import { rateWindowsKey, takeOne } from '../../../../shared/base/limits/window.ts'
import { Service, space } from '../../deliver/webhooks/service.ts'
import { logged, measure, RUN } from './space.ts'

const MINUTE = 60_000
const FAILED: Measure[] = [['r', 1, 0, 90, 0]]
const HELD: Measure[] = [['a'], ['e', 0, 120, 0]]

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
  Object.assign(process.env, {
    QUEUE_BASE: 'https://sqs.memory/',
    DEPLOYMENT: 'countersign',
  })
})

/** The lines for CloudWatch that something prints. */
async function printedBy(happening: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  process.env.LOG_LEVEL = 'info'
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    await happening()
    return write.mock.calls
      .map(([line]) => JSON.parse(String(line)) as Record<string, unknown>)
      .filter((line) => '_aws' in line)
  } finally {
    write.mockRestore()
    process.env.LOG_LEVEL = 'off'
  }
}

describe('one invocation of measure prints one line for CloudWatch', () => {
  test('with what it counted, each thing once', async () => {
    const { table } = it.ctx()
    await logged(it, 3)
    await logged(it, 1, FAILED)
    await logged(it, 2, HELD)
    for (let request = 0; request < 5; request += 1) {
      await takeOne(table, rateWindowsKey(space), { perMinute: 100, perSecond: 100 })
    }
    await tally(table, space, 'rb')
    await tally(table, space, 'dl_ok')
    await tally(table, space, 'dl_bad')
    it.clock.moveTo(it.clock.now() + 2 * MINUTE)

    const [first, ...others] = await printedBy(measure)

    expect(others).toEqual([])
    expect(first).toMatchObject({
      deployment: 'countersign',
      'countersign.requests': 5,
      'countersign.requests.failed': 1,
      'countersign.executions': 4,
      'countersign.executions.failed': 1,
      'countersign.deliveries': 2,
      'countersign.deliveries.failed': 1,
      'countersign.approvals.asked': 2,
      'countersign.approvals.ended': 2,
      'countersign.governance.duration': 97.5,
      'countersign.alerts.firing': 0,
    })
    expect(first?.['countersign.log.lag']).toBeGreaterThanOrEqual(MINUTE)
    expect(first?.['countersign.pass.duration']).toEqual(expect.any(Number))
  })

  test('in the embedded metric format, with every metric of the list', async () => {
    await logged(it, 1, RUN)
    it.clock.moveTo(it.clock.now() + 2 * MINUTE)

    const [line] = await printedBy(measure)

    expect(line?._aws).toEqual({
      Timestamp: expect.any(Number),
      CloudWatchMetrics: [
        {
          Namespace: 'Countersign',
          Dimensions: [['deployment']],
          Metrics: Object.entries(PLATFORM_METRICS).map(([name, { unit }]) => ({ Name: name, Unit: unit })),
        },
      ],
    })
  })

  test('without what an earlier one has counted, and without a latency where nothing was decided', async () => {
    await logged(it, 1)
    it.clock.moveTo(it.clock.now() + 2 * MINUTE)
    await measure()

    const [line] = await printedBy(measure)

    expect(line).toMatchObject({ 'countersign.executions': 0, 'countersign.log.lag': 0 })
    expect(line).not.toHaveProperty('countersign.governance.duration')
  })
})
