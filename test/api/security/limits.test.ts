import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { keyHash } from '../../../shared/govern/limits/counters.ts'
import { countWrite } from '../../../shared/govern/limits/item.ts'
import { EMPTY } from '../../../shared/govern/limits/window.ts'
import { executeBody } from '../../support/reference-action.ts'
import { bodyOf, governed, NODE_ID } from '../../support/governed.ts'
import { json, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const HOUR = 3_600_000

const limited = (limit: object, more: object = {}) => ({ name: 'A limit', effect: 'forbid', limit, ...more })
const hourly = (max: number, more: object = {}) => ({ measure: 'count', max, window: '1h', ...more })
const statuses = (replies: readonly { status: number }[], status: number) =>
  replies.filter((reply) => reply.status === status).length

describe('a limit', () => {
  test('lets exactly as many of two hundred requests at once pass as it allows', async () => {
    const tenant = await governed(local, undefined, { plan: 'enterprise' })
    await tenant.policy(limited(hourly(77)))

    const replies = await Promise.all(Array.from({ length: 200 }, () => tenant.execute('get_contact')))

    expect(statuses(replies, 200)).toBe(77)
    expect(statuses(replies, 403) + statuses(replies, 429) + statuses(replies, 503)).toBe(123)
  })

  test('refuses the next with the time after which it passes', async () => {
    const tenant = await governed(local)
    await tenant.policy(limited(hourly(2)))
    await tenant.execute('get_contact')
    await tenant.execute('get_contact')

    const refused = await tenant.execute('get_contact')
    expect(refused).toMatchObject({ status: 403, body: { code: 'policy_rejected' } })
    expect(refused.body.receipt.policy_evaluations.at(-1)).toMatchObject({
      result: 'forbid',
      why: [{ field: 'limit', op: 'max', outcome: 'true' }],
    })
    const wait = Number(refused.headers['retry-after'])
    expect(wait).toBeGreaterThan(3_599)
    local.clock.moveTo(local.clock.now() + wait * 1_000)
    expect(await tenant.execute('get_contact')).toMatchObject({ status: 200 })
  })

  test('asks for approval beyond it, and counts what is approved when it runs', async () => {
    const tenant = await governed(local)
    const stages = [{ groups: ['any'] }]
    await tenant.policy(limited(hourly(1), { effect: 'require_approval', approval: { stages } }))
    expect(await tenant.execute('get_contact')).toMatchObject({ status: 200 })

    const held = await tenant.held('get_contact')
    expect(await tenant.approve(held.approval.id)).toMatchObject({ status: 200 })
    expect(await tenant.look(held.receipt.request_id)).toMatchObject({ status: 'executed' })
  })

  test('tells whoever decides which limits were reached, and how they stand now', async () => {
    const tenant = await governed(local)
    const asking = { name: 'Reads', effect: 'require_approval', approval: { stages: [{ groups: ['any'] }] } }
    const { policy_id } = await tenant.policy(limited(hourly(1, { per: ['kind'] }), asking))
    await tenant.policy(limited(hourly(9), { ...asking, name: 'Far from full' }))
    await tenant.policy(limited(hourly(1, { counts: 'requests' }), { name: 'Shadow', mode: 'shadow' }))
    await tenant.execute('get_contact')

    const held = await tenant.held('get_contact')
    expect((await tenant.approval(held.approval.id)).limits).toEqual([
      { policy_id, name: 'Reads', measure: 'count', max: 1, window_s: 3_600, used: 1, subject: { kind: 'read' } },
    ])
    local.clock.moveTo(local.clock.now() + HOUR + 90_000)
    expect((await tenant.approval(held.approval.id)).limits[0]).toMatchObject({ used: 0 })
  })

  test('is known to be full by what ran here, where a request is held for another reason', async () => {
    const tenant = await governed(local)
    const asking = (group: string) => ({ effect: 'require_approval', approval: { stages: [{ groups: [group] }] } })
    const { policy_id } = await tenant.policy(limited(hourly(1), asking('role:admin')))
    await tenant.policy({ name: 'Deletes', scope: { action_ids: ['delete_*'] }, ...asking('any') })
    expect(await tenant.execute('get_contact')).toMatchObject({ status: 200 })

    const held = await tenant.approval((await tenant.held()).approval.id)
    expect(held.limits).toMatchObject([{ policy_id }])
    expect(held.stages.map(({ groups }: { groups: string[] }) => groups)).toContainEqual(['role:admin'])
  })

  test('refuses what would be held by what others have counted since this process looked', async () => {
    const tenant = await governed(local)
    const { policy_id } = await tenant.policy(limited(hourly(2), { scope: { action_ids: ['delete_*'] } }))
    await tenant.held()
    const { ctx } = tenant
    const counter = { policy_id, name: policy_id, hash: keyHash([]), shards: 1, shard: '00', n: 2n, max: 2n }
    const others = { ...counter, windowMs: HOUR, shadow: false, requests: false, give_back: [] }
    await ctx.table.writeOne(countWrite(ctx.space, others, { view: EMPTY, now: ctx.now(), conditional: true }))

    const refused = await tenant.execute('delete_contact')
    expect(refused).toMatchObject({ status: 403, body: { code: 'policy_rejected' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500)
  })

  test('tells of no total where the amount is unknown', async () => {
    const tenant = await governed(local)
    const spend = { measure: 'sum', max: 5, window: '1h', currency: 'EUR' }
    const approval = { stages: [{ groups: ['any'] }] }
    const asking = { name: 'Spend', effect: 'require_approval', approval, scope: { action_ids: ['get_*'] } }
    const { policy_id } = await tenant.policy(limited(spend, asking))

    const held = await tenant.held('get_contact')
    expect((await tenant.approval(held.approval.id)).limits).toEqual([
      { policy_id, name: 'Spend', measure: 'sum', currency: 'EUR', max: 5, window_s: 3_600, subject: {} },
    ])
  })

  test('applies where the domain of a recipient cannot be told, and adds up the amounts of a list', async () => {
    const tenant = await governed(local)
    await tenant.policy(limited(hourly(9, { per: ['recipient_domain'] }), { scope: { action_ids: ['get_*'] } }))
    const spend = { measure: 'sum', max: 150, window: '1h', currency: 'EUR' }
    await tenant.policy(limited(spend, { name: 'Spend', scope: { action_ids: ['update_*'] } }))
    const statusOf = async (action: string, payload: object) => (await tenant.execute(action, { payload })).status

    expect(await statusOf('get_contact', { to: 'ann@a.example' })).toBe(200)
    expect(await statusOf('get_contact', { to: ['ann@a.example', '@ann'] })).toBe(403)
    const lines = [{ amount: 100 }, { amount: 100 }]
    expect(await statusOf('update_contact', { currency: 'EUR', lines })).toBe(403)
    expect(await statusOf('update_contact', { currency: 'EUR', lines: lines.slice(1) })).toBe(200)
  })

  test('that was not reached is not told of', async () => {
    const tenant = await governed(local)
    await tenant.policy(limited(hourly(1), { scope: { action_ids: ['delete_*'] } }))
    const { approval } = await tenant.held()

    expect((await tenant.approval(approval.id)).limits).toEqual([])
  })

  test('counts neither what is only evaluated nor a repeat with the same key', async () => {
    const tenant = await governed(local)
    await tenant.policy(limited(hourly(2)))
    const headers = { 'Idempotency-Key': 'once' }
    const evaluate = () =>
      tenant.call(protocol.evaluate, { body: { ...executeBody('AUTO'), action_id: 'get_contact' } })

    await tenant.execute('get_contact', {}, { headers })
    await tenant.execute('get_contact', {}, { headers })
    for (let i = 0; i < 3; i += 1) expect((await evaluate()).body.outcome).toBe('run')

    expect(await tenant.execute('get_contact')).toMatchObject({ status: 200 })
    expect(await tenant.execute('get_contact')).toMatchObject({ status: 403 })
  })

  test('of requests counts those that are held, of runs not', async () => {
    const tenant = await governed(local)
    await tenant.policy(limited(hourly(1, { counts: 'requests' }), { scope: { action_kinds: ['delete'] } }))

    await tenant.held()
    expect(await tenant.execute('delete_contact')).toMatchObject({ status: 403 })
  })

  test('starts again at 0 when it counts something else, and says so', async () => {
    const tenant = await governed(local)
    const first = await tenant.policy(limited(hourly(1)))
    await tenant.execute('get_contact')
    const { policy_id, version } = first
    const raised = await tenant.policy({ ...limited(hourly(1, { give_back: ['failed'] })), policy_id, version })
    expect(raised.warnings).toEqual([])
    expect(await tenant.execute('get_contact')).toMatchObject({ status: 403 })

    const other = await tenant.policy({ ...limited({ ...hourly(1), window: '2h' }), policy_id, version: 2 })
    expect(other.warnings).toEqual(['The count starts again at 0.'])
    expect(await tenant.execute('get_contact')).toMatchObject({ status: 200 })
  })

  test('in the shadow lets everything pass, and says what it would have done', async () => {
    const tenant = await governed(local)
    await tenant.policy(limited(hourly(1), { mode: 'shadow' }))
    await tenant.execute('get_contact')
    local.clock.moveTo(local.clock.now() + HOUR - 1_000)

    const reply = await tenant.execute('get_contact')
    expect(reply.status).toBe(200)
    expect(reply.body.receipt.policy_evaluations.at(-1)).toMatchObject({ estimated: true })
  })
})

describe('what a limit gives back', () => {
  let target: TestTarget
  beforeAll(async () => {
    target = await startTarget()
  })
  afterAll(() => target.stop())

  /** A tenant with a limit on these actions, and what of it is used. */
  async function limitOn(limit: object) {
    const to = { type: 'http', url: target.url }
    const tenant = await governed(local, [
      { action_id: 'update_deal', target: to, undo_action_id: 'restore_deal' },
      { action_id: 'restore_deal', target: to },
      { action_id: 'update_note', undo_action_id: 'restore_note' },
      { action_id: 'restore_note' },
      { action_id: 'delete_deal' },
    ])
    const scope = { action_ids: ['update_*', 'delete_*'] }
    const { policy_id } = await tenant.policy(limited(hourly(9, limit), { scope }))
    const params = { tenant_id: tenant.tenant_id, policy_id }
    const used = async () => bodyOf(await tenant.call(security.policyUsage, { params }), 200).used
    return { tenant, used }
  }

  test('an action that the service has undone, and none that its caller says to undo', async () => {
    const { tenant, used } = await limitOn({ give_back: ['undone'] })
    const { receipt } = bodyOf(await tenant.execute('update_deal'), 200)
    const note = bodyOf(await tenant.execute('update_note'), 200)
    expect(await used()).toBe(2)

    expect(await tenant.undo(receipt.request_id)).toMatchObject({ status: 200, body: { status: 'undone' } })
    expect(await used()).toBe(1)
    expect((await tenant.undo(receipt.request_id)).status, 'again').toBe(200)
    expect(await tenant.undo(note.receipt.request_id)).toMatchObject({ status: 200, body: { status: 'undone' } })
    expect(await used()).toBe(1)
  })

  test('an action that its target refused', async () => {
    const { tenant, used } = await limitOn({ give_back: ['failed'] })
    target.next(json(400, {}))
    expect(await tenant.execute('update_deal')).toMatchObject({ status: 502, body: { status: 'failed' } })
    expect(await used()).toBe(0)
  })

  test('neither where the policy does not say so', async () => {
    const { tenant, used } = await limitOn({})
    const { receipt } = bodyOf(await tenant.execute('update_deal'), 200)
    expect((await tenant.undo(receipt.request_id)).status).toBe(200)
    target.next(json(400, {}))
    expect((await tenant.execute('update_deal')).status).toBe(502)
    expect(await used()).toBe(2)
  })

  test.each([
    ['runs', 0],
    ['requests', 1],
  ])('nothing of an approval that is denied: of %s it has counted %i', async (counts, expected) => {
    const { tenant, used } = await limitOn({ counts })
    const { approval } = await tenant.held('delete_deal')
    expect(await used()).toBe(expected)

    expect((await tenant.reject(approval.id, { reason: 'no' })).status).toBe(200)
    expect(await used()).toBe(expected)
  })
})

describe('GET …/policies/{policy_id}/usage', () => {
  test('200: tells what of a limit is used, of each value that it counts per', async () => {
    const tenant = await governed(local)
    const { policy_id } = await tenant.policy(limited(hourly(5, { per: ['action'] })))
    await tenant.execute('get_contact')
    await tenant.execute('get_contact')
    const usage = (query: Record<string, string>) =>
      tenant.call(security.policyUsage, { params: { tenant_id: tenant.tenant_id, policy_id }, query })

    expect(await usage({ action: `${NODE_ID}/get_contact` })).toMatchObject({
      status: 200,
      body: { policy_id, measure: 'count', max: 5, used: 2, remaining: 3, window_s: 3_600, precision: 'exact' },
    })
    expect((await usage({ action: `${NODE_ID}/update_contact` })).body).toMatchObject({ used: 0, remaining: 5 })
    local.clock.moveTo(local.clock.now() + HOUR + 90_000)
    expect((await usage({ action: `${NODE_ID}/get_contact` })).body).toMatchObject({ used: 0, remaining: 5 })
  })

  test('422: other keys than those of the limit; 404: no limit', async () => {
    const tenant = await governed(local)
    const { policy_id } = await tenant.policy(limited(hourly(5)))
    const plain = await tenant.policy({ name: 'No limit', effect: 'forbid', scope: { action_ids: ['delete_*'] } })
    const usage = (id: string, query: Record<string, string> = {}) =>
      tenant.call(security.policyUsage, { params: { tenant_id: tenant.tenant_id, policy_id: id }, query })

    expect(await usage(policy_id, { kind: 'read' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'kind'] }] },
    })
    expect((await usage(plain.policy_id)).status).toBe(404)
  })
})
