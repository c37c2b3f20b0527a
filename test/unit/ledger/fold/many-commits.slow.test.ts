import { expect, test } from 'vitest'
import { toAttributes } from '../../../../shared/base/table/entity.ts'
import { logHeads } from '../../../../shared/ledger/events/log.ts'
import { packEvents } from '../../../../shared/ledger/events/outbox.ts'
import { metricsFolder } from '../../../../shared/operate/metrics/folder.ts'
import { readWindow } from '../../../../shared/operate/metrics/read-window.ts'
import { foldSpace } from '../../../../shared/ledger/fold/fold.ts'
import { Service, space, TABLE } from '../../deliver/webhooks/service.ts'
import { RUN } from '../../operate/metrics/space.ts'
import { autoExecution } from '../events/auto-execution.ts'

const COMMITS = 30_000
const EVENTS = 6
const MINUTE = 60_000

/** A log of so many commits of one minute, whose chunks are made when they are asked for. */
function fillLog(it: Service, at: number): { largestPage: number } {
  const head = { ...space, position: COMMITS * EVENTS, at, counts: {}, _v: 1 }
  it.table.tamper(TABLE, logHeads.key(space), () => toAttributes({ ...logHeads.key(space), ...head }))
  const events = packEvents(autoExecution(), RUN)
  const seen = { largestPage: 0 }
  const send = it.table.send.bind(it.table)
  it.table.send = async (call) => {
    const { ExpressionAttributeValues: values = {}, Limit = 1 } = call.input as Partial<Query>
    const [, partition] = /#LOG#(\d+)$/.exec(values[':pk']?.S ?? '') ?? []
    if (call.name !== 'Query' || partition === undefined) return send(call)
    const first = Math.max(Number(values[':low']?.S ?? 0), Number(partition) * 100_000, 1)
    const from = Math.ceil(first / EVENTS) * EVENTS
    const end = Math.min(COMMITS * EVENTS, Number(partition) * 100_000 + 99_999)
    const Items = Array.from({ length: Math.min(Limit, Math.floor((end - from) / EVENTS) + 1) }, (_, index) => {
      const last = from + index * EVENTS
      return toAttributes({ ...space, sk: String(last).padStart(12, '0'), first: last - EVENTS + 1, last, at, events })
    })
    seen.largestPage = Math.max(seen.largestPage, Items.length)
    return { Items }
  }
  return seen
}

type Query = { ExpressionAttributeValues: Record<string, { S?: string }>; Limit: number }

test('30,000 commits of one minute are counted in one pass, a page at a time, in a few transactions', async () => {
  const it = new Service()
  await it.start()
  const at = it.clock.now()
  const seen = fillLog(it, at)
  it.clock.moveTo(at + 2 * MINUTE)
  const before = it.table.calls.TransactWriteItems ?? 0

  expect(await foldSpace(it.ctx(), [metricsFolder(space)], Number.POSITIVE_INFINITY)).toBe(true)
  const minute = Math.floor(at / MINUTE) * MINUTE
  const counts = await readWindow(it.ctx(), { from: minute, until: minute + MINUTE })
  expect(counts.sum('r.ok')).toBe(COMMITS)
  expect(counts.sum('n.crm.contacts.editor')).toBe(COMMITS)
  expect(seen.largestPage).toBe(500)
  expect((it.table.calls.TransactWriteItems ?? 0) - before).toBeLessThanOrEqual(COMMITS / 5_000 + 2)
})
