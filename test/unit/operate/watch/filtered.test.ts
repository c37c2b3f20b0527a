import { expect, test } from 'vitest'
import type { Measure } from '../../../../shared/base/catalog/measures.ts'
import { createSlo } from '../../../../shared/operate/slos/open-slo.ts'
import { Service, TABLE } from '../../deliver/webhooks/service.ts'
import { logged, measure } from '../metrics/space.ts'

const MINUTE = 60_000
const FAILED: Measure[] = [
  ['d', 0, 0, 84, 1, 213],
  ['r', 1, 0, 90, 0],
]

test('the burn rate of an objective under a filter fires for the action that it names, and not for another', async () => {
  const it = new Service()
  await it.start()
  Object.assign(process.env, {
    QUEUE_BASE: 'https://sqs.memory/',
    DEPLOYMENT: 'countersign',
  })
  const common = { target_percent: 99, measurement_window: 'rolling-1d', min_events: 1 } as const
  for (const action_id of ['update_contact', 'delete_contact']) {
    const filter = { action_id, node_id: undefined, tier: undefined }
    const sli = { metric: 'execution_success', filter, name: undefined, threshold_ms: undefined } as const
    await createSlo(it.ctx(), {
      ...common,
      name: action_id,
      description: undefined,
      sli,
      alerting: { page: true, ticket: true },
    })
  }
  await logged(it, 20, FAILED)
  it.clock.moveTo(it.clock.now() + 2 * MINUTE)
  await measure()

  const titles = it.table.items(TABLE).flatMap(({ _type, title }) => (_type?.S === 'ALERT' ? [title?.S] : []))
  expect(titles).toEqual(['update_contact: the error budget is used up too fast'])
})
