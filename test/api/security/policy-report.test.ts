import { beforeEach, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { stillClock } from '../../support/still-clock.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR = 3_600_000
const clock = stillClock(Math.ceil(Date.now() / (24 * HOUR)) * 24 * HOUR + 10.5 * HOUR)
const local = useLocalStack({ clock })
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
})

/** Until everything that happened so far is counted. */
async function counted() {
  await local.drain()
  await local.advance(130_000)
  await local.sweep()
}

const ask = (policy_id: string, query: Record<string, string> = {}) =>
  acme.call(security.policyReport, { params: { tenant_id: acme.tenant_id, policy_id }, query })
const report = async (policy_id: string, query?: Record<string, string>) => bodyOf(await ask(policy_id, query), 200)

describe('GET /api/v1/security/tenants/{tenant_id}/policies/{policy_id}/report', () => {
  test('200: what an enforced policy did, and how long people took', async () => {
    const { policy_id } = await acme.policy({
      name: 'p',
      effect: 'require_approval',
      scope: { action_kinds: ['read', 'delete'] },
    })
    const first = await acme.held('get_contact')
    clock.moveTo(clock.now() + 20_000)
    const second = await acme.held('get_contact')
    clock.moveTo(clock.now() + 20_000)
    const third = await acme.held('delete_contact')
    await acme.execute('update_contact')
    await acme.approve(first.approval.id)
    await local.advance(60_000)
    await acme.reject(second.approval.id)
    await counted()

    const body = await report(policy_id)

    expect(body).toMatchObject({
      policy_id,
      version: 1,
      mode: 'enforce',
      window: '24h',
      executions: 4,
      fired: 3,
      by_result: { require_approval: 3 },
      by_basis: { true: 3, unknown: 0 },
      by_change: { 'AUTO->HARD': 2 },
      by_action: [
        { node_id: 'crm.contacts.editor', action_id: 'get_contact', fired: 2 },
        { node_id: 'crm.contacts.editor', action_id: 'delete_contact', fired: 1 },
      ],
      by_agent: [{ agent_id: expect.stringMatching(/^key_/), fired: 3 }],
      by_day: [{ date: new Date(clock.now()).toISOString().slice(0, 10), fired: 3 }],
      samples: [third, second, first].map(({ receipt }) => receipt.request_id),
      approvals: {
        would_add: 2,
        looked_up: 3,
        asked: 3,
        approved: 1,
        rejected: 1,
        expired: 0,
        waiting: 1,
        median_wait_s: 40,
        p90_wait_s: 80,
        waits_of: 2,
      },
    })
    expect(Date.parse(body.complete_until)).toBeGreaterThan(clock.now() - 180_000)
  })

  test('200: what a shadow policy would have done', async () => {
    const { policy_id } = await acme.policy({
      name: 'p',
      effect: 'forbid',
      mode: 'shadow',
      when: { field: 'signals.amount', op: 'gt', value: 10 },
    })
    await acme.execute('get_contact', { payload: { amount: 11 } })
    await acme.execute('get_contact', { payload: { amount: 9 } })
    await acme.execute('update_contact')
    await counted()

    expect(await report(policy_id, { window: '1h' })).toMatchObject({
      mode: 'shadow',
      executions: 3,
      fired: 2,
      by_result: { 'shadow:forbid': 2 },
      by_basis: { true: 1, unknown: 1 },
      by_change: { 'AUTO->REJECT': 1, 'SOFT->REJECT': 1 },
      approvals: { would_add: 0, looked_up: 2, asked: 0, median_wait_s: null, p90_wait_s: null, waits_of: 0 },
    })
  })

  test('200: by whole hours or days, each window only its own', async () => {
    const { policy_id } = await acme.policy({ name: 'p', effect: 'min_tier', tier: 'SOFT' })
    await acme.execute('get_contact')
    await counted()
    clock.moveTo(clock.now() + 30 * HOUR)
    await acme.execute('get_contact')
    await counted()

    const fired = async (window: string) => (await report(policy_id, { window })).fired
    expect(await Promise.all(['1h', '24h', '7d', '30d'].map(fired))).toEqual([1, 1, 2, 2])
    expect((await report(policy_id, { window: '7d' })).by_day).toHaveLength(2)
  })

  test('200: before anything happened', async () => {
    const { policy_id } = await acme.policy({ name: 'p', effect: 'forbid', mode: 'shadow' })

    expect(await report(policy_id)).toMatchObject({ executions: 0, fired: 0, by_result: {}, samples: [] })
  })

  test('404: an unknown policy, and one of another tenant', async () => {
    const other = await governed(local)
    const { policy_id } = await other.policy({ name: 'p', effect: 'forbid', mode: 'shadow' })

    expect(await ask(policy_id)).toMatchObject({ status: 404, body: { detail: 'policy not found' } })
    expect(await ask('pol_01JD3Q8Z5N0A2C4E6G8J0M2P4R')).toMatchObject({ status: 404 })
  })

  test('422: a window that does not exist', async () => {
    const { policy_id } = await acme.policy({ name: 'p', effect: 'forbid', mode: 'shadow' })

    expect(await ask(policy_id, { window: '2h' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'window'], msg: 'must be one of 1h, 24h, 7d, 30d' }] },
    })
  })
})

describe('GET /api/v1/protocol/executions?policy_id=', () => {
  const list = async (query: Record<string, string | number>) =>
    bodyOf(await acme.call(protocol.listExecutions, { query }), 200)
  const idsOf = ({ items }: { items: { request_id: string }[] }) => items.map(({ request_id }) => request_id)

  test('200: only those that the policy did not let pass, newest first, over days and pages and with other filters', async () => {
    const { policy_id } = await acme.policy({
      name: 'p',
      effect: 'min_tier',
      tier: 'SOFT',
      scope: { action_ids: ['get_*'] },
    })
    const shadow = await acme.policy({
      name: 's',
      effect: 'forbid',
      mode: 'shadow',
      scope: { action_kinds: ['update'] },
    })
    const ids: string[] = []
    for (const action of ['get_contact', 'update_contact', 'get_contact', 'delete_contact', 'get_contact']) {
      ids.unshift((await acme.execute(action)).body.receipt.request_id)
      clock.moveTo(clock.now() + 9 * HOUR)
    }
    await counted()

    const page = await list({ policy_id, limit: 2 })
    expect(page.total).toBe(3)
    expect([...idsOf(page), ...idsOf(await list({ policy_id, limit: 2, cursor: page.next_cursor }))]).toEqual([
      ids[0],
      ids[2],
      ids[4],
    ])
    expect(idsOf(await list({ policy_id: shadow.policy_id }))).toEqual([ids[3]])
    expect(await list({ policy_id, action_id: 'update_contact' })).toMatchObject({ items: [], total: 0 })
    expect(await list({ policy_id: 'pol_01JD3Q8Z5N0A2C4E6G8J0M2P4R' })).toMatchObject({ items: [], total: 0 })
    expect(idsOf(await list({ policy_id, offset: 1 }))).toEqual([ids[2], ids[4]])
  })

  test('200: of a rule that is built in, under any name', async () => {
    await acme.change({ pii_mode: 'block' })
    await acme.execute('get_contact')
    await acme.execute('get_contact', { payload: { note: 'ann@example.com' } })
    await counted()

    expect((await list({ policy_id: 'pii' })).items).toMatchObject([{ status: 'rejected' }])
    expect(await list({ policy_id: 'a#b/ü' })).toMatchObject({ items: [] })
  })
})
