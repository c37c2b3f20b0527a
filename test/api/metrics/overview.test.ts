import { describe, expect, test } from 'vitest'
import { compliance } from '../../../functions/compliance/routes.ts'
import { incidents } from '../../../functions/incidents/routes.ts'
import { metrics } from '../../../functions/metrics/routes.ts'
import { slos } from '../../../functions/slos/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { datasets } from '../../../shared/learn/datasets/dataset.ts'
import { jobs } from '../../../shared/learn/jobs/job.ts'
import { models } from '../../../shared/learn/models/model.ts'
import { newDataset } from '../../support/dataset.ts'
import { bodyOf } from '../../support/governed.ts'
import { newJob } from '../../support/job.ts'
import { newModel } from '../../support/model.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const local = useLocalStack()

describe('GET /api/v1/metrics/overview', () => {
  test('200: what nothing measured is null, and the default objectives have no data', async () => {
    const { call } = await local.tenant()

    expect(bodyOf(await call(metrics.overview), 200)).toMatchObject({
      posture_score: null,
      slo_summary: { healthy: 0, at_risk: 0, breached: 0, no_data: 2 },
      open_incidents: 0,
      training: { jobs: { completed: 0, failed: 0, completion_rate: null, p50_s: null } },
      chain: { valid: 0, total: 0 },
      targets: [{ metric: 'governance_latency_p95_ms', value: null, target: 200, status: 'no_data' }],
    })
  })

  test('200: shows what the pages of the other areas show', async () => {
    const { call, tenant_id } = await local.tenant()
    bodyOf(await call(compliance.enableFramework, { params: { tenant_id, id: 'soc2' }, body: {} }), 200)
    const body = {
      name: 'Fast',
      description: 'All.',
      sli: { metric: 'execution_success' },
      target_percent: 99,
    } as const
    bodyOf(await call(slos.create, { body: { ...body, measurement_window: 'rolling-7d' } }), 201)
    bodyOf(await call(incidents.create, { body: { title: 'Lost', severity: 'sev4' } }), 201)
    const { id } = bodyOf(await call(incidents.create, { body: { title: 'Found', severity: 'sev4' } }), 201)
    bodyOf(
      await call(incidents.update, { params: { id }, body: { status: 'resolved', root_cause: 'It was there.' } }),
      200,
    )
    const { overall_score } = bodyOf(await call(compliance.posture, { params: { tenant_id } }), 200)
    const target = { metric: 'posture_score', op: 'gte', value: 100 } as const
    bodyOf(await call(metrics.setTargets, { body: { targets: [target] } }), 200)

    expect(bodyOf(await call(metrics.overview), 200)).toMatchObject({
      posture_score: overall_score,
      slo_summary: { no_data: 3 },
      open_incidents: 1,
      targets: [{ metric: 'posture_score', value: overall_score, target: 100, status: 'missed' }],
    })
  })
})

describe('GET /api/v1/metrics/training', () => {
  test('200: counts what ended in the window, and what there is now', async () => {
    const { call, tenant_id } = await local.tenant()
    const ctx = systemContext({ tenant_id, mode: 'live' })
    const ended = (status: 'completed' | 'failed' | 'cancelled', seconds: number, ago = 0) => {
      const finished = ctx.now() - ago - 2 * MINUTE
      const times = { started_at: iso(finished - seconds * 1_000), finished_at: iso(finished) }
      return jobs.insert(
        newJob(ctx, { status, ...times, cost: { compute_seconds: seconds, estimated_usd: null, price_source: null } }),
      )
    }
    const rows = (path: string, count: number) => ({ path, sha256: 'ab'.repeat(32), size_bytes: 7, rows: count })
    const tested = { rows: 60, accuracy: 0.9, auc: 0.8, ece: 0.05 }
    await ctx.table.commit([
      ended('completed', 10),
      ended('completed', 30),
      ended('failed', 5),
      ended('cancelled', 1),
      ended('completed', 100, 3 * DAY),
      jobs.insert(newJob(ctx)),
      datasets.insert(
        newDataset(ctx, { files: [rows('dpo/train.jsonl', 8), rows('dpo/test.jsonl', 2), rows('sft/train.jsonl', 9)] }),
      ),
      datasets.insert(newDataset(ctx, { status: 'failed' })),
      models.insert({ ...newModel(ctx), status: 'deployed', metrics: JSON.stringify({ test: tested }) }),
      models.insert(newModel(ctx)),
    ])
    await local.drain()
    await local.advance(5 * MINUTE)
    await local.sweep()

    expect(bodyOf(await call(metrics.training), 200)).toMatchObject({
      jobs: { completed: 2, failed: 1, completion_rate: 0.6667, p50_s: 10 },
      quality: [{ slot: 'approval-scorer', version: 1, accuracy: 0.9, auc: 0.8, ece: 0.05 }],
      cost: { compute_seconds: 46, estimated_usd: null, by_trainer: [{ trainer: 'embedded', compute_seconds: 46 }] },
      datasets: { total: 1, rows: 10, pairs: 0 },
    })
    const targets = (['training_completion_rate', 'model_accuracy'] as const).map(
      (metric) => ({ metric, op: 'gte', value: 0.8 }) as const,
    )
    bodyOf(await call(metrics.setTargets, { body: { targets } }), 200)
    expect(bodyOf(await call(metrics.overview), 200)).toMatchObject({
      training: { jobs: { completed: 2 } },
      targets: [
        { value: 0.6667, status: 'missed' },
        { value: 0.9, status: 'met' },
      ],
    })
  })
})
