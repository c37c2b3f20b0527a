import { beforeEach, describe, expect, test } from 'vitest'
import { learning } from '../../../functions/learning/routes.ts'
import { training } from '../../../functions/training/routes.ts'
import { learnedItems } from '../../../shared/govern/learned/learned.ts'
import { sweepTest } from '../../../shared/learn/experiments/sweep-test.ts'
import { abCounts, abTests, armCounts } from '../../../shared/learn/experiments/ab-test.ts'
import { type Model, models } from '../../../shared/learn/models/model.ts'
import { routingUpdates } from '../../../shared/learn/routing/update.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { deployedModel, trainedModel } from './deployed-model.ts'

const DAY_MS = 86_400_000
const local = useLocalStack()
let acme: Governed
let a: string
let b: string
beforeEach(async () => {
  acme = await governed(local)
  a = await deployedModel(local, acme) // expects approval of everything
  b = (await trainedModel(acme, {}, -4)).id // expects none
})

const SLOT = 'approval-scorer'
const create = (body: object = {}) =>
  acme.call(training.createAbTest, {
    body: { name: 'November', slot: SLOT, model_a_id: a, model_b_id: b, min_samples: 100, ...body },
  })
const start = (id: string) => acme.call(training.startAbTest, { params: { id }, body: {} })
const complete = (id: string, body: object = {}) => acme.call(training.completeAbTest, { params: { id }, body })
const look = async (id: string) => bodyOf(await acme.call(training.getAbTest, { params: { id } }), 200)

async function running(): Promise<string> {
  const { id } = bodyOf(await create(), 201)
  bodyOf(await start(id), 200)
  return id
}

/** As if people had decided so often before. */
const counted = (id: string, add: Record<string, number>) =>
  acme.ctx.table.update(abCounts.key({ ...acme.ctx.space, id }), { add, set: { _type: abCounts.name } })

const inSlot = async () => (await acme.ctx.table.get(learnedItems, acme.ctx.space))?.slots[SLOT]

async function decided(decide: 'approve' | 'reject') {
  const { approval } = await acme.held()
  bodyOf(await acme[decide](approval.id), 200)
  await local.advance(61_000)
  await local.sweep()
}

describe('a test', () => {
  test('asks both models, and only the deployed one acts', async () => {
    const id = await running()
    const { receipt } = bodyOf(await acme.execute('get_contact'), 200)
    const entries = receipt.policy_evaluations.filter(({ policy_id }: { policy_id: string }) =>
      policy_id.startsWith('model:'),
    )
    expect(entries).toMatchObject([{ result: 'pass' }, { result: 'shadow:raise' }])
    expect(receipt.routing_decision.tier).toBe('AUTO')
    expect(await look(id)).toMatchObject({ status: 'running', result: { arms: { a: { n: 0 } } } })
  })

  test('counts what people decide on actions that are held whatever a model says', async () => {
    const id = await running()
    await decided('reject')
    await decided('approve')
    expect(await look(id)).toMatchObject({
      result: {
        arms: { a: { n: 2, successes: 1 }, b: { n: 2, successes: 1 } },
        outcome: 'inconclusive',
        reason: 'too_few_samples',
      },
    })
    const stats = bodyOf(await acme.call(training.stats), 200)
    expect(stats.model_quality).toMatchObject([{ slot: SLOT, version: 1, live_agreement: 0.5, n: 2 }])
    expect((await complete(id)).status).toBe(409)
    const forced = bodyOf(await complete(id, { force: true }), 200)
    expect(forced).toMatchObject({ status: 'completed', result: { winner: null } })
    expect((await inSlot())?.test).toBeUndefined()
    await decided('reject')
    expect((await look(id)).result).toEqual(forced.result)
  })

  test('that B wins proposes to deploy it, and deploys nothing', async () => {
    const id = await running()
    await counted(id, { n: 300, only_b: 60, only_a: 5, both: 200 })
    const done = bodyOf(await complete(id), 200)
    expect(done).toMatchObject({ status: 'completed', result: { winner: 'b', outcome: 'winner' } })
    expect((await inSlot())?.model_id).toBe(a)
    expect(bodyOf(await acme.call(learning.listRoutingUpdates), 200).items).toMatchObject([
      {
        id: done.proposed_update_id,
        type: 'model_change',
        status: 'proposed',
        source: 'ab_test',
        slot: SLOT,
        from: a,
        to: b,
        evidence: { test_id: id, n: 300 },
      },
    ])
  })

  test('that ends by its days proposes the winner, on which its makers do not decide', async () => {
    const id = await running()
    await counted(id, { n: 300, only_b: 60, only_a: 5, both: 200 })
    const { table, space } = acme.ctx
    local.clock.moveTo(local.clock.now() + 31 * DAY_MS)
    await sweepTest(acme.ctx, id)
    const { proposed_update_id } = await look(id)
    const update = await table.get(routingUpdates, { ...space, id: proposed_update_id })
    expect(update).toMatchObject({ to: b, proposed_by: { type: 'system' }, persons: [acme.owner.id] })
  })

  test('whose row names other makers than the chain proposes nothing', async () => {
    const [id, other] = [await running(), bodyOf(await create(), 201).id]
    const { table, space } = acme.ctx
    const [was, another] = [
      await table.get(abTests, { ...space, id }),
      await table.get(abTests, { ...space, id: other }),
    ]
    if (!was || !another) throw new Error('no such test')
    await table.commit([abTests.replace({ ...was, request_artifact_id: another.request_artifact_id }, was)])
    await counted(id, { n: 300, only_b: 60, only_a: 5, both: 200 })
    expect(bodyOf(await complete(id), 200)).not.toHaveProperty('proposed_update_id')
  })

  test('without a difference declares no winner', async () => {
    const id = await running()
    await counted(id, { n: 300, only_b: 20, only_a: 20, both: 200 })
    expect(bodyOf(await complete(id), 200)).toMatchObject({ result: { winner: null, reason: 'no_difference' } })
  })

  test('is looked at each hour, and ends by itself', async () => {
    const id = await running()
    await counted(id, { n: 300, only_b: 30, only_a: 5, both: 200 })
    await local.advance(3_700_000)
    await local.sweep()
    await counted(id, { only_a: 25 }) // what was seen once stays seen
    expect((await look(id)).result.p_sequential).toBeLessThan(0.05)
    local.clock.moveTo(local.clock.now() + 31 * DAY_MS)
    await sweepTest(acme.ctx, id)
    expect(await look(id)).toMatchObject({ status: 'completed', ended_because: 'max_days' })
    expect((await inSlot())?.test).toBeUndefined()
  })

  test('stops when its model loses its place', async () => {
    const id = await running()
    const { table, space } = acme.ctx
    const learned = await table.get(learnedItems, space)
    if (!learned) throw new Error('nothing is deployed')
    const { test: _, ...alone } = learned.slots[SLOT] ?? {}
    await table.commit([
      learnedItems.replace({ ...learned, slots: { [SLOT]: alone as (typeof learned.slots)[string] } }, learned),
    ])
    await local.advance(3_700_000)
    await local.sweep()
    expect(await look(id)).toMatchObject({ status: 'stopped', ended_because: 'slot_changed' })
  })
})

describe('a live test', () => {
  const live = { shadow: false, split_b: 0.99, primary_metric: 'failure_rate', direction: 'lower' }

  const change = async (id: string, over: Partial<Model>) => {
    const { table, space } = acme.ctx
    const was = await table.get(models, { ...space, id })
    if (!was) throw new Error('no such model')
    await table.commit([models.replace({ ...was, ...over }, was)])
  }

  /** As if it had failed after people approved its deployment: then A keeps the slot. */
  async function approvedBefore(id: string) {
    await change(id, { predictions: { uri: 'models/none', sha256: 'a'.repeat(64) } })
    const asked = await acme.call(training.deployModel, { params: { model_id: id }, body: {} })
    bodyOf(await acme.approve(bodyOf(asked, 202).approval_id), 200)
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await local.advance(61_000)
      await local.sweep()
    }
    expect((await acme.ctx.table.get(models, { ...acme.ctx.space, id }))?.status).toBe('failed')
  }

  async function acting(body: object = {}): Promise<string> {
    await approvedBefore(b)
    const { id } = bodyOf(await create({ ...live, ...body }), 201)
    bodyOf(await start(id), 200)
    return id
  }

  const arm = (id: string, which: 'a' | 'b', add: Record<string, number>, unit = '-') =>
    acme.ctx.table.update(armCounts.key({ ...acme.ctx.space, id, arm: which, unit }), {
      add,
      set: { _type: armCounts.name },
    })

  /** Twice: a fold ends before the events of the last seconds. */
  async function folded() {
    for (let time = 0; time < 2; time += 1) {
      await local.advance(61_000)
      await local.sweep()
    }
  }

  test('starts only with a model that people approved before', async () => {
    const { id } = bodyOf(await create(live), 201)
    expect((await start(id)).status).toBe(409)
    await approvedBefore(b)
    bodyOf(await start(id), 200)
  })

  test('does not start because the row of its model says that people approved it', async () => {
    const { id } = bodyOf(await create(live), 201)
    const { execution_id, approval_id } = (await acme.ctx.table.get(models, { ...acme.ctx.space, id: a })) ?? {}
    await change(b, { approved: true, execution_id, approval_id })
    expect((await start(id)).status).toBe(409)
  })

  test('does not start with another file than people approved', async () => {
    await approvedBefore(b)
    const { id } = bodyOf(await create(live), 201)
    await change(b, { artifact: (await trainedModel(acme)).artifact })
    expect((await start(id)).status).toBe(409)
  })

  test('lets B decide for its share, and counts what becomes of it', async () => {
    const id = await acting()
    const { receipt } = bodyOf(await acme.execute('get_contact'), 200)
    expect(receipt.routing_decision.tier).toBe('SOFT') // one step up, as B wants it
    expect(receipt.policy_evaluations).toContainEqual(
      expect.objectContaining({ policy_id: `model:${SLOT}@2`, result: 'raise' }),
    )
    await folded()
    expect((await look(id)).result.arms).toMatchObject({ a: { n: 0 }, b: { n: 1, successes: 0, units: 1 } })
  })

  test('gives an agent the same arm each time', async () => {
    const id = await acting({ unit: 'agent', split_b: 0.5 })
    const versions = new Set<string>()
    for (let round = 0; round < 6; round += 1) {
      const { receipt } = bodyOf(await acme.execute('get_contact'), 200)
      versions.add(
        receipt.policy_evaluations.find(({ policy_id }: { policy_id: string }) => policy_id.startsWith('model:'))
          .policy_id,
      )
    }
    expect(versions.size).toBe(1)
    await folded()
    const { a: first, b: second } = (await look(id)).result.arms
    expect([first.units + second.units, first.n + second.n]).toEqual([1, 6])
  })

  test('stops when B does harm', async () => {
    const id = await acting({ guardrails: [{ metric: 'undo_rate', max_increase: 0.01 }] })
    await arm(id, 'a', { assigned_n: 10, undo_rate_n: 500, undo_rate_k: 5, failure_rate_n: 500 })
    await arm(id, 'b', { assigned_n: 990, undo_rate_n: 500, undo_rate_k: 250, failure_rate_n: 500 })
    await local.advance(3_700_000)
    await local.sweep()
    expect(await look(id)).toMatchObject({ status: 'stopped', ended_because: 'guardrail', result: { winner: null } })
    expect(await inSlot()).toMatchObject({ model_id: a })
    expect((await inSlot())?.test).toBeUndefined()
  })

  test('declares nothing when the units are not split as planned', async () => {
    const id = await acting({ split_b: 0.5 })
    await arm(id, 'a', { assigned_n: 5000, failure_rate_n: 5000, failure_rate_k: 500 })
    await arm(id, 'b', { assigned_n: 4000, failure_rate_n: 4000, failure_rate_k: 100 })
    expect(bodyOf(await complete(id), 200).result).toMatchObject({ srm_detected: true, reason: 'sample_ratio' })
  })

  test('by agent needs twenty of them in each arm', async () => {
    const id = await acting({ unit: 'agent', split_b: 0.5 })
    const units = async (count: number) => {
      for (let unit = 0; unit < count; unit += 1) {
        await arm(id, 'a', { assigned_n: 100, failure_rate_n: 100, failure_rate_k: 30 + (unit % 3) }, `agent:${unit}`)
        await arm(id, 'b', { assigned_n: 100, failure_rate_n: 100, failure_rate_k: 5 + (unit % 3) }, `agent:b${unit}`)
      }
    }
    await units(19)
    expect((await look(id)).result).toMatchObject({ winner: null, reason: 'too_few_units' })
    await units(20)
    expect((await look(id)).result).toMatchObject({ winner: 'b', arms: { a: { units: 20 } } })
  })
})

describe('what is refused', () => {
  test('models that cannot be compared, and figures that say nothing', async () => {
    const other = (await trainedModel(acme, { name: 'other' })).id
    expect((await create({ model_b_id: other })).status).toBe(422)
    expect((await create({ model_b_id: a })).status).toBe(422)
    expect((await create({ model_b_id: 'mdl_01JD3Q8Z5NR6D8F0H2J4L6N8Q0' })).status).toBe(404)
    expect((await create({ min_samples: 5 })).status).toBe(422)
  })

  test('what a shadow cannot be measured by', async () => {
    expect((await create({ primary_metric: 'undo_rate' })).status).toBe(422)
    expect((await create({ unit: 'agent' })).status).toBe(422)
    expect((await create({ split_b: 0.1 })).status).toBe(422)
    expect((await create({ guardrails: [{ metric: 'failure_rate', max_increase: 0.02 }] })).status).toBe(422)
  })

  test('a start while another test runs, or A is not deployed', async () => {
    const id = await running()
    const { id: second } = bodyOf(await create(), 201)
    expect((await start(second)).status).toBe(409)
    expect((await start(id)).status).toBe(409)
    const { id: swapped } = bodyOf(await create({ model_a_id: b, model_b_id: a }), 201)
    bodyOf(await complete(id, { force: true }), 200)
    expect((await start(swapped)).status).toBe(409)
    bodyOf(await start(second), 200)
    expect(bodyOf(await acme.call(training.listAbTests, { query: { status: 'running' } }), 200).items).toHaveLength(1)
  })

  test('a deployment while it runs', async () => {
    await running()
    expect((await acme.call(training.deployModel, { params: { model_id: b }, body: {} })).status).toBe(409)
  })
})
