import { beforeEach, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { timeOfId } from '../../../shared/base/lib/ids.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
})

const forbid = { name: 'no deletions', effect: 'forbid', scope: { action_kinds: ['delete'] } }

describe('POST /api/v1/security/tenants/{tenant_id}/policies?dry_run=true', () => {
  const dryRun = (body: object, replay?: number) =>
    acme.call(security.savePolicy, {
      params: { tenant_id: acme.tenant_id },
      query: { dry_run: true, ...(replay !== undefined && { replay }) },
      body,
    })

  test('200: says how past executions would have been decided, and stores nothing', async () => {
    const auto = (await acme.execute('get_contact')).body.receipt.request_id
    await acme.execute('update_contact')
    const soft = (await acme.execute('update_contact')).body
    await acme.undo(soft.receipt.request_id)
    await acme.execute('delete_contact')
    const body = { name: 'p', effect: 'min_tier', tier: 'HARD', scope: { action_kinds: ['read', 'delete', 'update'] } }

    expect(await dryRun(body, 1_000)).toMatchObject({
      status: 200,
      body: {
        valid: true,
        warnings: [],
        replay: {
          evaluated: 4,
          changed: 3,
          by_change: { 'AUTO->HARD': 1, 'SOFT->HARD': 2 },
          samples: { length: 3, 2: auto },
        },
      },
    })
    expect((await acme.execute('get_contact')).status).toBe(200)
    const { body: page } = await acme.call(security.listPolicies, { params: { tenant_id: acme.tenant_id } })
    expect(page.total).toBe(0)
  })

  test('200: of a change of a policy, compared with the policy as it is', async () => {
    const { policy_id } = await acme.policy({ name: 'p', effect: 'forbid', scope: { action_kinds: ['read'] } })
    await acme.execute('get_contact')
    const body = {
      policy_id,
      version: 1,
      name: 'p',
      effect: 'min_tier',
      tier: 'SOFT',
      scope: { action_kinds: ['read'] },
    }

    expect((await dryRun(body, 10)).body.replay).toMatchObject({ evaluated: 1, by_change: { 'REJECT->SOFT': 1 } })
  })

  test('200: judges by the hour at which it was asked', async () => {
    const { body } = await acme.execute('get_contact')
    const hour = new Date(local.clock.now()).getUTCHours()
    local.clock.moveTo(local.clock.now() + 7_200_000)
    const when = { field: 'request.hour_utc', op: 'eq', value: hour }

    expect((await dryRun({ name: 'p', effect: 'forbid', when }, 10)).body.replay).toMatchObject({
      by_change: { 'AUTO->REJECT': 1 },
      samples: [body.receipt.request_id],
    })
  })

  test('200: counts nothing against the open approvals of anybody', async () => {
    await acme.change({ max_open_approvals: 2 })
    await acme.held()
    await dryRun(forbid, 10)
    await dryRun(forbid, 10)

    expect((await acme.execute('delete_contact')).status).toBe(202)
  })

  test('200: without replay evaluates nothing; refuses what saving refuses', async () => {
    await acme.execute('get_contact')

    expect((await dryRun(forbid)).body).toMatchObject({ valid: true, replay: { evaluated: 0, changed: 0 } })
    expect((await dryRun({ ...forbid, tier: 'SOFT' })).status).toBe(422)
    await acme.policy(forbid)
    expect((await dryRun(forbid)).status).toBe(409)
    expect((await dryRun(forbid, 1_001)).status).toBe(400)
  })

  const after = {
    name: 'nothing after an update',
    effect: 'forbid',
    scope: { action_kinds: ['read'] },
    after: { kinds: ['update', 'delete'], within: '10m', per: 'agent' },
  }

  test('200: a sequence follows on what would have run, and when it ran', async () => {
    const first = await acme.held()
    await acme.execute('get_contact')
    await local.advance(60_000)
    await acme.approve(first.approval.id)
    const second = (await acme.execute('get_contact')).body.receipt.request_id
    await local.advance(30 * 60_000)
    await acme.held()
    await acme.execute('get_contact')

    expect((await dryRun(after, 100)).body.replay).toEqual({
      evaluated: 5,
      changed: 1,
      by_change: { 'AUTO->REJECT': 1 },
      samples: [second],
    })
  })

  test('200: a sequence sees no mark of what the same policies refuse', async () => {
    await acme.execute('update_contact')
    await acme.execute('get_contact')
    await acme.policy({ name: 'stop', effect: 'forbid', scope: { action_kinds: ['update'] } })

    expect((await dryRun(after, 100)).body.replay).toMatchObject({ evaluated: 2, changed: 0 })
  })

  test('200: says where older executions, which it has not read, may speak of newer ones', async () => {
    await acme.execute('update_contact')
    await local.advance(60_000)
    const at = timeOfId((await acme.execute('get_contact')).body.receipt.request_id)
    await acme.execute('update_contact')
    await local.advance(20 * 60_000)
    await acme.execute('get_contact')

    const warm_from = new Date(at + 11 * 60_000).toISOString()
    const { replay } = (await dryRun({ ...after, effect: 'min_tier', tier: 'SOFT' }, 3)).body
    expect(replay).toMatchObject({ evaluated: 3, changed: 0, warm_from, warming: { evaluated: 2, changed: 0 } })
    expect((await dryRun(after, 4)).body.replay).not.toHaveProperty('warm_from')
    expect((await dryRun(forbid, 3)).body.replay).not.toHaveProperty('warm_from')
    const limit = { measure: 'count', max: 1, window: '1h' }
    expect((await dryRun({ ...forbid, limit, scope: {} }, 3)).body.replay).toMatchObject({
      warm_from: new Date(at + 3_600_000).toISOString(),
      by_change: { 'AUTO->REJECT': 1, 'SOFT->REJECT': 1 },
      warming: { evaluated: 3, changed: 2 },
    })
  })
})
