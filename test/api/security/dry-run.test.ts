import { beforeEach, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
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
})
