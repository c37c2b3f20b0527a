import { beforeEach, describe, expect, test } from 'vitest'
import { learning } from '../../../functions/learning/routes.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { actionFacts } from '../../../shared/learn/routing/action-facts.ts'
import { compute } from '../../../shared/learn/snapshots/compute.ts'
import type { Observed } from '../../../shared/learn/snapshots/figures.ts'
import { actionName } from '../../../shared/learn/snapshots/read-observed.ts'
import type { Body } from '../../../shared/learn/snapshots/snapshot.ts'
import { careful } from '../../unit/learn/snapshots/make.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const DAY_MS = 86_400_000

let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
})

const latest = () => acme.call(learning.latest)
async function run(body: object = {}) {
  const reply = await acme.call(learning.run, { body })
  bodyOf(reply, 202)
  await local.drain()
  return bodyOf(await latest(), 200)
}
const actionIn = (snapshot: { actions: { action_id: string }[] }, action_id: string) =>
  snapshot.actions.find((one) => one.action_id === action_id)

describe('GET /api/v1/learning', () => {
  test('404: before the first snapshot', async () => {
    expect((await latest()).status).toBe(404)
  })

  test('200: counts what was decided, action by action', async () => {
    for (let n = 0; n < 3; n += 1) await acme.execute('get_contact')
    await acme.execute('update_contact')
    const [first, second] = [await acme.held(), await acme.held()]
    await local.advance(60_000)
    bodyOf(await acme.approve(first.approval.id), 200)
    bodyOf(await acme.reject(second.approval.id, { reason: 'No.' }), 200)
    await local.advance(60_000)
    await local.drain()
    const snapshot = await run()

    expect(snapshot).toMatchObject({
      status: 'completed',
      totals: { executions: 6, decided: 2, approvals: 1, rejections: 1, unproven: 0 },
      window_days: 30,
    })
    expect(snapshot.model).toBeNull()
    expect(snapshot.agents).toMatchObject([
      {
        actor: expect.stringMatching(/^key:key_/),
        executions: 5,
        approvals: 1,
        rejected: 1,
        violations: 0,
        days_known: 1,
      },
    ])
    expect(actionIn(snapshot, 'get_contact')).toMatchObject({
      n_auto: 3,
      current_tier: 'AUTO',
      suggested_tier: null,
      approval_rate: { n: 0, rate: null, ci95: null },
    })
    expect(actionIn(snapshot, 'delete_contact')).toMatchObject({
      n_hard: 2,
      floor_tier: 'HARD',
      approvals: 1,
      rejections: 1,
      quality: { key_share: 1, careful: { n: 0 } },
    })
  })

  test('200: leaves out what the evidence does not confirm', async () => {
    const { receipt } = bodyOf(await acme.execute('update_contact'), 200)
    await local.drain()
    const was = await acme.ctx.table.get(executions, { ...acme.ctx.space, id: receipt.request_id })
    if (was) await acme.ctx.table.commit([executions.replace({ ...was, action_id: 'get_contact' }, was)])

    expect((await run()).totals).toMatchObject({ executions: 0, unproven: 1 })
  })
})

describe('POST /api/v1/learning/run', () => {
  test('202: while one is being made, that one is answered', async () => {
    const first = bodyOf(await acme.call(learning.run, { body: {} }), 202)
    const second = bodyOf(await acme.call(learning.run, { body: { window_days: 7 } }), 202)

    expect(second).toEqual(first)
    expect(first).toMatchObject({ status: 'queued', node_id: null })
    await local.drain()
    expect(bodyOf(await latest(), 200).id).toBe(first.id)
  })

  test('202: of one node only', async () => {
    await acme.execute('get_contact')
    await local.drain()

    expect((await run({ node_id: NODE_ID })).totals.executions).toBe(1)
    expect((await run({ node_id: 'crm.other.node' })).totals.executions).toBe(0)
  })

  test.each([{ window_days: 6 }, { window_days: 91 }, { node_id: 'x' }])('422: %j', async (body) => {
    expect((await acme.call(learning.run, { body })).status).toBe(422)
  })

  test('a day later the daily step has made another', async () => {
    await acme.execute('get_contact')
    const { id } = await run()
    await local.sweep()
    await local.advance(DAY_MS)
    await local.sweep()
    await local.drain()
    const next = bodyOf(await latest(), 200)

    expect(next.id).not.toBe(id)
    expect(next).toMatchObject({ trigger: 'schedule', status: 'completed' })
  })
})

describe('a loosening', () => {
  const MINUTE = 60_000

  test('is suggested when it was found for a day without interruption, and by each snapshot of it', async () => {
    const node = { node_id: NODE_ID, action_id: 'cancel_booking' }
    const { ctx } = await governed(local, [
      { action_id: node.action_id, undo_action_id: 'restore_booking' },
      { action_id: 'restore_booking' },
    ])
    const { endpoint_sha256 = '' } = (await actionFacts(ctx, node)) ?? {}
    const snapshotAt = async (at: number, observed: Observed[], former?: Body, sha256 = endpoint_sha256) => {
      const named = { ...node, endpoint_sha256: sha256 }
      const window = {
        actions: new Map([[actionName(named), { ...named, observed }]]),
        actors: new Set<string>(),
        unproven: 0,
      }
      return compute({ ...ctx, now: () => at }, window, { former, incident: () => false })
    }
    const suggestedBy = ({ actions }: Body) => actions[0]?.suggested_tier
    const start = ctx.now()

    const first = await snapshotAt(start, careful(80))
    expect(first.actions).toMatchObject([{ current_tier: 'HARD', suggested_tier: null, reason: 'approved_with_care' }])
    const early = await snapshotAt(start + DAY_MS - MINUTE, careful(80), first)
    expect(suggestedBy(early)).toBeNull()
    expect(suggestedBy(await snapshotAt(start + DAY_MS, careful(80), early))).toBe('SOFT')

    const broken = await snapshotAt(start + DAY_MS - MINUTE, careful(60), first)
    expect(suggestedBy(await snapshotAt(start + DAY_MS, careful(80), broken))).toBeNull()
    const another = await snapshotAt(start, careful(80), undefined, 'f'.repeat(64))
    expect(suggestedBy(await snapshotAt(start + DAY_MS, careful(80), another))).toBeNull()
  })
})
