import { beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../functions/api.ts'
import { claims } from '../../../functions/claims/routes.ts'
import { compliance } from '../../../functions/compliance/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { addNodes, addToPlatform } from '../../../shared/operate/metrics/platform-days.ts'
import { CATALOGUE_IDS } from '../../../shared/deliver/integrations/catalogue/ids.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const DAY = 86_400_000
const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local, [{ action_id: 'get_contact' }])
})

const snapshot = async () => bodyOf(await acme.call(claims.snapshot), 200)

describe('GET /api/claims', () => {
  test('200: without samples there are no figures', async () => {
    const { benchmarks } = await snapshot()

    expect(benchmarks).toMatchObject([
      { name: 'governance_evaluation_latency', p50_ms: null, p95_ms: null, p99_ms: null, sample_size: 0 },
      { name: 'webhook_delivery', first_attempt_success_percent: null, delivered_percent: null, sample_size: 0 },
      { name: 'chain_verification', artifacts_per_second: null, sample_size: 0 },
    ])
  })

  test('200: inventory and limits are those of the code that runs', async () => {
    const { inventory, runtime } = await snapshot()

    expect(inventory).toMatchObject({
      endpoints: routes.length,
      event_types: 33,
      checks: 48,
      connectors: CATALOGUE_IDS.length,
      trainers: 3,
      nodes_registered: null,
    })
    expect(inventory.frameworks.map(({ id }: { id: string }) => id).slice(0, 4)).toEqual([
      'soc2',
      'gdpr',
      'hipaa',
      'iso27001',
    ])
    expect(inventory.frameworks).toContainEqual({
      id: 'nist_ai_rmf',
      group: 'ai',
      controls_total: 72,
      checks_mapped: 33,
    })
    for (const { id, controls_total } of inventory.frameworks) {
      const params = { tenant_id: acme.tenant_id, id }
      const { items } = bodyOf(await acme.call(compliance.listControls, { params, query: { limit: 200 } }), 200)
      expect([id, items.length]).toEqual([id, controls_total])
    }
    expect(runtime).toMatchObject({
      node: process.versions.node,
      deployment: 'local',
      manifest_protocol_versions: ['1.0'],
      limits: {
        api_key_days: 90,
        access_token_minutes: 15,
        refresh_token_days: 7,
        undo_seconds: 30,
        webhook_deadline_seconds: 5,
        webhook_retries: 7,
        scim_max_results: 200,
        page_limit_max: 200,
        approval_expiry_hours: 24,
      },
    })
  })

  test('200: figures come from what was counted on the newest complete day, and are kept for five minutes', async () => {
    bodyOf(await acme.execute('get_contact'), 200)
    bodyOf(await acme.call(evidence.verify), 200)
    await local.drain()
    local.clock.moveTo(Math.ceil(local.clock.now() / DAY) * DAY + 600_000)
    await local.sweep()
    await local.drain()
    await addToPlatform(acme.ctx)
    local.clock.moveTo(local.clock.now() + 2 * DAY)
    const { benchmarks, generated_at } = await snapshot()

    expect(benchmarks[0]).toMatchObject({ sample_size: 1, p95_ms: expect.any(Number), target_p95_ms: 200 })
    expect(benchmarks[2].sample_size).toBeGreaterThanOrEqual(1)
    local.clock.moveTo(local.clock.now() + 299_000)
    expect((await snapshot()).generated_at).toBe(generated_at)
    local.clock.moveTo(local.clock.now() + 2_000)
    expect((await snapshot()).generated_at).not.toBe(generated_at)
  })

  test('200: nodes are shown from five tenants on, each counted as it stands', async () => {
    for (let tenant = 1; tenant < 5; tenant += 1) {
      coldStart()
      await addNodes(acme.ctx)
      expect((await snapshot()).inventory.nodes_registered).toBeNull()
      const other = await governed(local)
      await addNodes(other.ctx)
      await addNodes(other.ctx)
    }
    coldStart()

    expect((await snapshot()).inventory.nodes_registered).toBe(5)
  })

  test('200: no tenant is in it', async () => {
    expect(JSON.stringify(await snapshot())).not.toMatch(new RegExp(`${acme.tenant_id}|crm\\.`))
  })

  test('401: without a credential', async () => {
    expect((await local.call(claims.snapshot)).status).toBe(401)
  })
})
