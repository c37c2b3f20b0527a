import { describe, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { PutObjectCommand, s3 } from '../../../shared/base/aws/s3.ts'
import { sha256Hex } from '../../../shared/base/lib/json.ts'
import { featuresOf, WEIGHTS } from '../../../shared/base/scorer/features.ts'
import { writeWeights } from '../../../shared/base/scorer/weights-file.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { conducts } from '../../../shared/ledger/conduct/conduct.ts'
import { learnedItems } from '../../../shared/govern/learned/learned.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

type Entry = { policy_id: string; result: string; score?: number }
type Body = { receipt: { routing_decision: { tier: string }; policy_evaluations: Entry[] } }
const tierOf = ({ receipt }: Body) => receipt.routing_decision.tier
const entryOf = ({ receipt }: Body, id: string) => receipt.policy_evaluations.find(({ policy_id }) => policy_id === id)

const as = (persona_key: string) => ({ policy_context: { persona_key } })

describe('trust', () => {
  test('has the first ten actions of a new agent approved by a person', async () => {
    const tenant = await governed(local)
    await tenant.policy({
      name: 'the first ten',
      effect: 'require_approval',
      scope: { agents: ['**'] },
      when: { field: 'agent.executions', op: 'lt', value: 10 },
      approval: { stages: [{ groups: ['any'], min_approvals: 1, mode: 'any' }] },
    })
    for (let run = 0; run < 10; run += 1) {
      const { approval } = bodyOf(await tenant.execute('get_contact'), 202)
      bodyOf(await tenant.approve(approval.id), 200)
      await local.drain()
    }

    bodyOf(await tenant.execute('get_contact'), 200)
  })

  test('below the floor raises one step, and what was rejected earned nothing', async () => {
    const tenant = await governed(local)
    expect(tierOf(bodyOf(await tenant.execute('get_contact'), 200))).toBe('AUTO')
    for (let run = 0; run < 2; run += 1) {
      const { approval } = await tenant.held()
      bodyOf(await tenant.reject(approval.id), 200)
    }
    await local.drain()

    const raised = bodyOf(await tenant.execute('get_contact'), 200)

    expect(tierOf(raised)).toBe('SOFT')
    expect(entryOf(raised, 'trust')?.result).toBe('raise')
    await tenant.change({ trust_floor: 0 })
    expect(tierOf(bodyOf(await tenant.execute('get_contact'), 200))).toBe('AUTO')
  })

  test('is not that of an agent which the request names without proof', async () => {
    const tenant = await governed(local)
    let requested_by = ''
    for (let run = 0; run < 3; run += 1) {
      const { approval } = await tenant.held('delete_contact', { policy_context: { agent_id: 'agt_rival' } })
      requested_by = (await tenant.approval(approval.id)).requested_by.id
      bodyOf(await tenant.reject(approval.id), 200)
    }
    await local.drain()
    const { table, space } = tenant.ctx
    const conductOf = (actor: string) => table.get(conducts, { ...space, actor })

    expect(await conductOf('agent:agt_rival')).toBeUndefined()
    expect(await conductOf(`key:${requested_by}/agt_rival`)).toMatchObject({ rejected: 3, executions: 0 })
  })
})

describe('a persona', () => {
  test('refuses what is above its ceiling, and never lowers to fit', async () => {
    const tenant = await governed(local)

    bodyOf(await tenant.execute('get_contact', as('analyst')), 200)
    const refused = bodyOf(await tenant.execute('update_contact', as('analyst')), 403)

    expect(refused).toMatchObject({ code: 'policy_rejected', status: 'rejected' })
    expect(entryOf(refused, 'persona:analyst')?.result).toBe('forbid')
    expect(tierOf(refused)).toBe('SOFT')
  })

  test('asks a person before everything, where it says so', async () => {
    const tenant = await governed(local)

    const held = bodyOf(await tenant.execute('get_contact', as('cautious')), 202)

    expect(entryOf(held, 'persona:cautious')?.result).toBe('require_approval')
    bodyOf(await tenant.approve(held.approval.id), 200)
  })

  test('governs commands of agents', async () => {
    const tenant = await governed(local)
    const say = (persona_key: string) =>
      tenant.call(agent.execute, { body: { tier: 'AUTO', command: 'update the contact', persona_key } })

    expect(await say('analyst')).toMatchObject({ status: 403 })
    expect(await say('operator')).toMatchObject({ status: 200 })
    expect(await say('intern')).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'persona_key'] }] } })
  })

  test('is a fact of policies', async () => {
    const tenant = await governed(local)
    const when = { field: 'request.persona_key', op: 'eq', value: 'operator' }
    await tenant.policy({
      name: 'no operators',
      effect: 'forbid',
      when,
      unless: { field: 'node.id', op: 'eq', value: 'x' },
    })

    bodyOf(await tenant.execute('get_contact', as('operator')), 403)
    bodyOf(await tenant.execute('get_contact', as('default')), 200)
  })
})

/** A model that thinks nothing of one action, deployed. */
async function deployed(tenant: Governed, { sha256 }: { sha256?: string } = {}) {
  const { indices, values } = featuresOf(`${NODE_ID}/get_contact`, {})
  const weights = new Float64Array(WEIGHTS)
  indices.forEach((index, at) => (weights[index] = -20 * (values[at] ?? 0)))
  const file = writeWeights('approval', { weights, bias: 4 })
  const uri = `models/${tenant.ctx.space.tenant_id}/live/mdl_1`
  await s3().send(new PutObjectCommand({ Bucket: process.env.FILES_BUCKET, Key: uri, Body: file }))
  const placed = { model_id: 'mdl_1', version: 3, sha256: sha256 ?? sha256Hex(file), uri }
  await tenant.ctx.table.commit([learnedItems.insert({ ...tenant.ctx.space, slots: { 'approval-scorer': placed } })])
}

const MODEL = 'model:approval-scorer@3'

describe('a deployed model', () => {
  test('raises what it expects people to reject, and lets pass the rest', async () => {
    const tenant = await governed(local)
    await deployed(tenant)

    const raised = bodyOf(await tenant.execute('get_contact', { payload: {} }), 200)
    const passed = bodyOf(await tenant.execute('update_contact', { payload: {} }), 200)

    expect(tierOf(raised)).toBe('SOFT')
    expect(entryOf(raised, MODEL)).toMatchObject({ result: 'raise', score: expect.closeTo(0, 2) })
    expect(tierOf(passed)).toBe('SOFT')
    expect(entryOf(passed, MODEL)).toMatchObject({ result: 'pass', score: expect.closeTo(0.98, 1) })
  })

  test('that is not the registered file is indeterminate, and raises', async () => {
    const tenant = await governed(local)
    await deployed(tenant, { sha256: 'f'.repeat(64) })

    const raised = bodyOf(await tenant.execute('get_contact', { payload: {} }), 200)

    expect(tierOf(raised)).toBe('SOFT')
    expect(entryOf(raised, MODEL)).toMatchObject({ result: 'indeterminate' })
  })

  test('keeps its opinion to itself until somebody has decided', async () => {
    const tenant = await governed(local)
    await deployed(tenant)
    const held = await tenant.held()
    const { request_id } = held.receipt
    const body = { node_id: NODE_ID, action_id: 'delete_contact', payload: {} }
    const forecast = bodyOf(await tenant.call(protocol.evaluate, { body }), 200)

    expect(entryOf(held, MODEL)).toEqual({ policy_id: MODEL, result: 'pass' })
    expect(entryOf(await tenant.look(request_id), MODEL)?.score).toBeUndefined()
    expect(JSON.stringify(forecast)).not.toContain('"score"')
    bodyOf(await tenant.approve(held.approval.id), 200)
    expect(entryOf(await tenant.look(request_id), MODEL)?.score).toBeCloseTo(0.98, 1)
  })
})

test('an execution keeps what its decision used', async () => {
  const tenant = await governed(local)
  const { request_id } = bodyOf(await tenant.execute('get_contact', as('default')), 200).receipt

  const stored = await tenant.ctx.table.get(executions, { ...tenant.ctx.space, id: request_id })

  expect(stored?.learned).toBe('[50,0,"default"]')
})
