import { expect, test } from 'vitest'
import type { Measure } from '../../../../shared/base/catalog/measures.ts'
import { createRule } from '../../../../shared/operate/alerts/change-rules.ts'
import { RuleInput } from '../../../../shared/operate/alerts/rule-fields.ts'
import { Service } from '../../deliver/webhooks/service.ts'
import { logged, measure, RUN } from '../metrics/space.ts'

const MINUTE = 60_000
const FAILED: Measure[] = [
  ['d', 0, 0, 84, 1, 213],
  ['r', 1, 0, 90, 0],
]

/** The sort keys of metric items that queries asked for. */
function metricReads({ table }: Service): () => number {
  let reads = 0
  const send = table.send.bind(table)
  table.send = (call) => {
    const values = JSON.stringify(call.input)
    if (call.name === 'Query' && values.includes('#METRIC"')) reads += 1
    return send(call)
  }
  return () => reads
}

test('a healthy space with 50 rules reads no metrics to look at them, and one where something fails does', async () => {
  const it = new Service()
  await it.start()
  Object.assign(process.env, {
    QUEUE_BASE: 'https://sqs.memory/',
    DEPLOYMENT: 'countersign',
  })
  const condition = { kind: 'threshold', metric: 'execution_success', aggregation: 'ratio', op: 'gt', threshold: 0.9 }
  for (let rule = 0; rule < 50; rule += 1)
    await createRule(it.ctx(), RuleInput.parse({ name: `rule ${rule}`, severity: 'low', window: '1h', ...condition }))
  const reads = metricReads(it)
  const readsOf = async (measures: Measure[]) => {
    const before = reads()
    await logged(it, 20, measures)
    it.clock.moveTo(it.clock.now() + 2 * MINUTE)
    await measure()
    return reads() - before
  }

  expect(await readsOf(RUN)).toBe(0)
  expect(await readsOf(FAILED)).toBeGreaterThan(0)
})
