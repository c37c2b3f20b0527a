import { expect, test } from 'vitest'
import { handler } from '../../../../functions/workers/relay-events.ts'
import type { Measure } from '../../../../shared/base/catalog/measures.ts'
import { foldSpace } from '../../../../shared/ledger/fold/fold.ts'
import { outbox, outboxKey, packEvents } from '../../../../shared/ledger/events/outbox.ts'
import { chunks, logHead, logHeads } from '../../../../shared/ledger/events/log.ts'
import { TOTAL, usageSums } from '../../../../shared/ledger/usage/usage-item.ts'
import { usageFolder } from '../../../../shared/operate/usage/folder.ts'
import { Service, space } from '../../deliver/webhooks/service.ts'
import { runs } from '../../../support/runs.ts'
import { autoExecution } from '../../ledger/events/auto-execution.ts'
import { dyingAt } from '../metrics/space.ts'

const EVENTS = 6
const BATCHES = runs(6, 1_000).numRuns
const A_BATCH = 99
const MINUTE = 60_000

/** Of every third one nobody reports tokens: they are estimated. */
const measuresOf = (n: number): Measure[] => [
  ['d', 0, 0, 80, 1, 100 + (n % 7)],
  ...(n % 3 === 0
    ? ([['r', 0, 0, 90, 40, 100 + (n % 7)]] as Measure[])
    : ([
        ['r', 0, 0, 90, 40],
        ['t', 30, n % 11],
      ] as Measure[])),
]

test('hundreds of executions are counted exactly, with passes that die anywhere and passes that run twice at once', async () => {
  const it = new Service()
  await it.start()
  const fold = () => foldSpace(it.ctx(), [usageFolder(space)], Number.POSITIVE_INFINITY)
  const expected = { executions: 0, tokens_input: 0, tokens_output: 0, tokens_estimated: 0, storage_bytes: 0 }
  let n = 0
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const head = await logHead(it.ctx())
    const next = { ...head, position: head.position + A_BATCH * EVENTS, at: it.clock.now() }
    const writes = Array.from({ length: A_BATCH }, (_, index) => {
      n += 1
      const [payload, isEstimated] = [100 + (n % 7), n % 3 === 0]
      const [input, output] = isEstimated ? [Math.ceil(payload / 4), 10] : [30, n % 11]
      expected.executions += 1
      expected.tokens_input += input
      expected.tokens_output += output
      expected.tokens_estimated += isEstimated ? input + output : 0
      expected.storage_bytes += payload + 40
      const first = head.position + EVENTS * index + 1
      const events = packEvents(autoExecution(), measuresOf(n))
      return chunks.insert({ ...space, first, last: first + EVENTS - 1, at: it.clock.now(), events })
    })
    await it.ctx().table.commit([head._v === 0 ? logHeads.insert(next) : logHeads.replace(next, head), ...writes])
    it.clock.moveTo(it.clock.now() + 2 * MINUTE)
    await dyingAt(it, 1 + (batch % 6), fold) // every second death loses only the answer
    await Promise.all([fold(), fold()])
  }
  expect(expected.executions).toBe(BATCHES * A_BATCH)
  expect(await it.ctx().table.get(usageSums, { ...space, sk: TOTAL })).toMatchObject(expected)
  const hours = await it.ctx().table.query(usageSums, { pk: usageSums.key({ ...space, sk: TOTAL }).pk, prefix: 'H#' })
  expect(hours.reduce((sum, { executions }) => sum + executions, 0)).toBe(expected.executions)
})

test('executions that the relay gets again, at once and after it has died, are counted once', async () => {
  const it = new Service()
  await it.start()
  const ctx = it.ctx()
  const fold = () => foldSpace(it.ctx(), [usageFolder(space)], Number.POSITIVE_INFINITY)
  const counted = async () => (await ctx.table.get(usageSums, { ...space, sk: TOTAL }))?.executions
  const commit = async (n: number) => {
    const key = outboxKey(space, ctx.id('x').slice(2))
    await ctx.table.commit([
      outbox.insert({ ...key, events: packEvents(autoExecution(), measuresOf(n)), at: it.clock.now() }),
    ])
  }
  const records = () =>
    it.table.stream
      .filter(({ eventName, newImage }) => eventName === 'INSERT' && newImage?.['_type']?.S === 'OUTBOX')
      .map(({ sequence, newImage = {} }) => ({ dynamodb: { SequenceNumber: String(sequence), NewImage: newImage } }))
  for (let batch = 1; batch <= 3; batch += 1) {
    for (let n = 0; n < 4; n += 1) await commit(n)
    await dyingAt(it, batch, () => handler({ Records: records() }))
    await Promise.all([handler({ Records: records() }), handler({ Records: records() })])
    it.clock.moveTo(it.clock.now() + 2 * MINUTE)
    await fold()
    await handler({ Records: records() })
    it.clock.moveTo(it.clock.now() + 2 * MINUTE)
    await fold()
    expect(await counted()).toBe(4 * batch)
  }
})
