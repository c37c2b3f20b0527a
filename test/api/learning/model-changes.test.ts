// Routing updates that change the model in a slot.
import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { learning } from '../../../functions/learning/routes.ts'
import { training } from '../../../functions/training/routes.ts'
import { routingRules } from '../../../shared/govern/governance/stored-rules.ts'
import { learnedItems } from '../../../shared/govern/learned/learned.ts'
import { models } from '../../../shared/learn/models/model.ts'
import { routingUpdates } from '../../../shared/learn/routing/update.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { deployedModel, trainedModel } from '../training/deployed-model.ts'

const SLOT = 'approval-scorer'
const local = useLocalStack()
let acme: Governed
let proposer: SignedIn
let approver: SignedIn
let former: string
let next: string
beforeEach(async () => {
  acme = await governed(local)
  former = await deployedModel(local, acme)
  next = (await trainedModel(acme, {}, -4)).id
  proposer = await signIn(local, acme.owner)
  approver = await signIn(local, acme.approver)
})

const propose = (body: object = {}) =>
  proposer.call(learning.proposeRoutingUpdate, {
    body: { type: 'model_change', slot: SLOT, to: next, rationale: 'It knows more refunds.', ...body },
  })
const apply = (id: string, by = approver) => by.call(learning.applyRoutingUpdate, { params: { id }, body: {} })
const swept = async () => {
  await local.advance(61_000)
  await local.sweep()
}
const inSlot = async () => (await acme.ctx.table.get(learnedItems, acme.ctx.space))?.slots[SLOT]?.model_id
const modelOf = (id: string) => acme.ctx.table.get(models, { ...acme.ctx.space, id })
const statuses = async () =>
  bodyOf(await acme.call(learning.listRoutingUpdates), 200).items.map(({ status }: { status: string }) => status)

async function approved(body: object = {}): Promise<string> {
  const { id, approval_id } = bodyOf(await propose(body), 201)
  bodyOf(await approver.call(approvals.approve, { params: { id: approval_id }, body: { reason: 'Measured.' } }), 200)
  await local.drain()
  return id
}

describe('a change of the model in a slot', () => {
  test('deploys the model after somebody else approved it and it was applied', async () => {
    const { id, approval_id, ...update } = bodyOf(await propose(), 201)
    expect(update).toMatchObject({ status: 'proposed', slot: SLOT, from: former, to: next, loosens: false })
    bodyOf(await approver.call(approvals.approve, { params: { id: approval_id }, body: {} }), 200)
    await local.drain()
    await swept()
    expect(await inSlot()).toBe(former)

    const told = await acme.told(async () => bodyOf(await apply(id), 200))
    expect(told.find(({ type }) => type === 'policy.updated')?.data).toMatchObject({ change: 'routing', update_id: id })
    await swept()
    expect(await inSlot()).toBe(next)
    expect(await modelOf(next)).toMatchObject({ status: 'deployed', approval_id, approved: true })
    expect(await modelOf(former)).toMatchObject({ status: 'retired' })
  })

  test('is not applied by the proposer', async () => {
    expect((await apply(await approved(), proposer)).status).toBe(403)
  })

  test('that swaps back reverts the former one', async () => {
    bodyOf(await apply(await approved()), 200)
    await swept()
    bodyOf(await apply(await approved({ to: former })), 200)
    await swept()
    expect(await inSlot()).toBe(former)
    expect(await statuses()).toEqual(['applied', 'reverted'])
  })

  test('is refused once another model stands in the slot', async () => {
    const id = await approved()
    const third = await deployedModel(local, acme)
    expect((await apply(id)).status).toBe(409)
    expect(await inSlot()).toBe(third)
  })

  test('covers the file that was approved, and no other', async () => {
    const id = await approved()
    const was = await modelOf(next)
    if (!was) throw new Error('no such model')
    await acme.ctx.table.commit([
      models.replace({ ...was, artifact: { ...was.artifact, sha256: 'a'.repeat(64) } }, was),
    ])
    expect((await apply(id)).status).toBe(409)
  })

  test('that somebody turned to another model in the table is refused', async () => {
    const id = await approved()
    const other = await trainedModel(acme)
    const was = await acme.ctx.table.get(routingUpdates, { ...acme.ctx.space, id })
    if (!was) throw new Error('no such update')
    const model_sha256 = other.artifact.sha256
    await acme.ctx.table.commit([routingUpdates.replace({ ...was, to: other.id, model_sha256 }, was)])
    expect((await apply(id)).status).toBe(409)
    expect(await modelOf(other.id)).toMatchObject({ status: 'registered' })
  })
})

test('a rule that somebody wrote into the table takes no action to another slot', async () => {
  const { table, space } = acme.ctx
  const at = { ...space, node_id: NODE_ID, action_id: 'get_contact' }
  const set = {
    ...at,
    version: 1,
    update_id: acme.ctx.id('rtu'),
    endpoint_sha256: 'a'.repeat(64),
    artifact_id: acme.ctx.id('art'),
  }
  await table.update(routingRules.key(at), { set: { ...set, model_slot: 'empty', _type: routingRules.name, _v: 1 } })

  const { receipt } = bodyOf(await acme.execute('get_contact'), 200)
  expect(receipt.policy_evaluations).toContainEqual(expect.objectContaining({ policy_id: `model:${SLOT}@1` }))
})

describe('what is refused', () => {
  test('a model of another slot, one that is not there, and one that is deployed', async () => {
    const other = await trainedModel(acme, { name: 'support-scorer' })
    expect((await propose({ to: other.id })).status).toBe(422)
    expect((await propose({ to: 'mdl_01JD3Q8Z5NR6D8F0H2J4L6N8Q0' })).status).toBe(404)
    expect((await propose({ to: former })).status).toBe(409)
  })

  test('a model without a passed quality gate, whose deployment asks for a reason', async () => {
    const poor = await trainedModel(acme, { quality_gate: 'failed' })
    expect((await propose({ to: poor.id })).status).toBe(409)
  })

  test('a second one of the slot while one waits, or while a deployment waits', async () => {
    bodyOf(await propose(), 201)
    expect((await propose({ to: (await trainedModel(acme)).id })).status).toBe(409)
    bodyOf(await acme.call(training.deployModel, { params: { model_id: next }, body: {} }), 202)
    expect((await propose({ to: next })).status).toBe(409)
  })
})
