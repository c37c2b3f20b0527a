import { describe, expect, test } from 'vitest'
import { metrics } from '../../../functions/metrics/routes.ts'
import { bodyOf } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const auto = { metric: 'auto_rate', op: 'gte', value: 0.6 } as const
const seeded = { metric: 'governance_latency_p95_ms', op: 'lte', value: 200 }

describe('PUT /api/v1/metrics/targets', () => {
  test('200: replaces the seeded list, says who did it, and the overview is held against it', async () => {
    const { call } = await local.tenant()
    expect(bodyOf(await call(metrics.getTargets), 200)).toMatchObject({ targets: [seeded], version: 1 })

    const set = await call(metrics.setTargets, { body: { targets: [auto], version: 1 } })

    expect(set).toMatchObject({ status: 200, body: { targets: [auto], version: 2, updated_by: { type: 'api_key' } } })
    expect(bodyOf(await call(metrics.getTargets), 200)).toEqual(set.body)
    expect(bodyOf(await call(metrics.overview), 200)).toMatchObject({
      targets: [{ metric: 'auto_rate', value: null, target: 0.6, status: 'no_data' }],
    })
  })

  test('409: a stale version changes nothing', async () => {
    const { call } = await local.tenant()
    await call(metrics.setTargets, { body: { targets: [auto] } })

    expect(await call(metrics.setTargets, { body: { targets: [], version: 1 } })).toMatchObject({ status: 409 })
    expect(bodyOf(await call(metrics.getTargets), 200)).toMatchObject({ targets: [auto] })
  })

  test.each([
    ['an unknown metric', [{ ...auto, metric: 'luck' }]],
    ['a metric twice', [auto, { ...auto, value: 0.7 }]],
    ['a rate above 1', [{ ...auto, value: 60 }]],
    ['a negative value', [{ ...auto, value: -1 }]],
    ['an unknown comparison', [{ ...auto, op: 'eq' }]],
  ])('422: %s', async (_, targets) => {
    const { call } = await local.tenant()

    expect(await call(metrics.setTargets, { body: { targets: targets as [] } })).toMatchObject({ status: 422 })
  })
})
