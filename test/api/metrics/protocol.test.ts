import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { metrics } from '../../../functions/metrics/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { json, startTarget } from '../../support/target.ts'
import { stillClock } from '../../support/still-clock.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR = 3_600_000
// Past the hour: a window of a day that ends at a full hour touches one hour less.
const clock = stillClock(Math.ceil(Date.now() / HOUR) * HOUR + HOUR / 3)
const local = useLocalStack({ clock })
let acme: Governed
beforeEach(async () => {
  clock.moveTo(clock.now() + HOUR)
  acme = await governed(local)
})

/** Until everything that happened so far is counted. */
async function counted() {
  await local.drain()
  await local.advance(130_000)
  await local.sweep()
}

const show = async (query: Record<string, string> = {}) => bodyOf(await acme.call(metrics.protocol, { query }), 200)

describe('GET /api/v1/metrics/protocol', () => {
  test('200: an empty window has no rates and no percentiles', async () => {
    expect(await show({ window: '1h' })).toMatchObject({
      window: '1h',
      executions: { total: 0 },
      latency_ms: { governance: { p50: null, p95: null, p99: null } },
      approvals: { requested: 0, pending: 0, median_decision_s: null, sla_hit_rate: null },
      undo: { count: 0, rate: null },
      top_nodes: [],
      method: 'histogram',
    })
  })

  test('200: counts decisions, runs, approvals and undos', async () => {
    for (let run = 0; run < 3; run += 1) await acme.execute('get_contact')
    const { request_id } = bodyOf(await acme.execute('update_contact'), 200).receipt
    await acme.undo(request_id)
    const [first, second] = [await acme.held(), await acme.held()]
    await acme.held()
    clock.moveTo(clock.now() + 45_000)
    await acme.approve(first.approval.id)
    await acme.reject(second.approval.id)
    await counted()

    const body = await show()

    expect(body).toMatchObject({
      executions: {
        total: 7,
        by_tier: { AUTO: 3, SOFT: 1, HARD: 3 },
        by_status: { executed: 5, rejected: 1, pending_approval: 1, undone: 1 },
      },
      approvals: { requested: 3, approved: 1, rejected: 1, expired: 0, pending: 1, sla_hit_rate: 1 },
      undo: { count: 1, rate: 0.2 },
      errors: { count: 0, rate: 0 },
      top_nodes: [{ node_id: 'crm.contacts.editor', runs: 5, failures: 0 }],
    })
    expect(body.approvals.median_decision_s).toBeLessThan(60)
    expect(body.latency_ms.governance.p95).toBeGreaterThan(0)
    expect(body.series).toHaveLength(25)
    expect(body.series.reduce((sum: number, { executions }: { executions: number }) => sum + executions, 0)).toBe(7)
  })

  test('200: a target that fails is a failure of its node, and no error of the service', async () => {
    const target = await startTarget()
    onTestFinished(target.stop)
    target.next(json(404, {}))
    const part = { action_id: 'get_part', target: { type: 'http', url: target.url } }
    bodyOf(await acme.register([part], { id: 'shop.stock.parts', version: '1.0.0' }), 201)
    expect((await acme.execute('get_part', { node_id: 'shop.stock.parts' })).status).toBe(502)
    await counted()

    expect(await show()).toMatchObject({
      executions: { total: 1, by_status: { failed: 1 } },
      errors: { count: 0, rate: 0 },
      top_nodes: [{ node_id: 'shop.stock.parts', runs: 1, failures: 1 }],
    })
  })

  test('200: another tenant and the sandbox are counted apart', async () => {
    const other = await governed(local)
    await other.execute('get_contact')
    await counted()

    expect(await show()).toMatchObject({ executions: { total: 0 } })
    expect(bodyOf(await other.as('sandbox').call(metrics.protocol), 200)).toMatchObject({ executions: { total: 0 } })
  })

  test.each([
    ['an unknown window', { window: '2h' }],
    ['one end only', { start_at: '2026-01-01T00:00:00Z' }],
    ['reversed ends', { start_at: '2026-01-02T00:00:00Z', end_at: '2026-01-01T00:00:00Z' }],
    ['more than 400 days', { start_at: '2024-01-02T00:00:00Z', end_at: '2026-01-01T00:00:00Z' }],
    ['the future', { start_at: '2026-01-02T00:00:00Z', end_at: '2099-01-01T00:00:00Z' }],
    ['no instant', { start_at: 'yesterday', end_at: '2026-01-01T00:00:00Z' }],
    ['a window beside ends', { window: '1h', start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-02T00:00:00Z' }],
  ])('422: %s', async (_, query) => {
    expect(await acme.call(metrics.protocol, { query })).toMatchObject({ status: 422 })
  })
})
