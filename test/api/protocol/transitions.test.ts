// Every move of an execution: the artifacts it leaves and the events it tells, in their order (governance.md, section 7).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createContext } from '../../../shared/context.ts'
import { decideOn } from '../../../shared/executions/decide.ts'
import { loadInputs } from '../../../shared/executions/inputs.ts'
import { ExecuteBody } from '../../../shared/executions/request.ts'
import { submit } from '../../../shared/executions/submit.ts'
import { type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts'
import { json, reset, startTarget, type TestTarget } from '../../support/target.ts'

let local: LocalStack
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  local = await startLocalStack()
  target = await startTarget()
})
afterAll(async () => {
  await target.stop()
  await local.stop()
})

const E = 'evidence.emitted'
const ASKED = ['action.requested', 'agent.action.triggered']
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type)

/** What happens, told as the types of its events; with the artifacts of the execution that it is about. */
async function trace(happening: () => Promise<{ body: { receipt?: object; execution?: { receipt: object } } }>) {
  let request_id = ''
  const events = await acme.told(async () => {
    const { body } = await happening()
    const receipt = body.receipt ?? body.execution?.receipt
    if (receipt && 'request_id' in receipt) request_id = String(receipt.request_id)
  })
  const { evidence } = await acme.look(request_id)
  return { events, types: types(events), artifacts: types(evidence) }
}

describe('a brokered action', () => {
  beforeEach(async () => {
    acme = await governed(local)
  })

  test('AUTO is executed', async () => {
    expect(await trace(() => acme.execute('get_contact'))).toMatchObject({
      types: [E, ...ASKED, 'action.auto_executed', 'protocol.executed', 'agent.completed'],
      artifacts: ['protocol.executed'],
    })
  })

  test('SOFT is approved by itself and executed', async () => {
    const soft = await trace(() => acme.execute('update_contact'))

    expect(soft).toMatchObject({
      types: [E, ...ASKED, 'action.approved', 'protocol.executed', 'agent.completed'],
      artifacts: ['protocol.executed'],
    })
    expect(soft.events[3]?.data).toMatchObject({
      approval_method: 'automatic',
      approved_by: 'system',
      risk_tier: 'SOFT',
    })
  })

  test('HARD is held', async () => {
    expect(await trace(() => acme.execute('delete_contact'))).toMatchObject({
      types: [E, ...ASKED, 'protocol.approval.requested'],
      artifacts: ['action.requested'],
    })
  })

  test('is rejected by a policy, and each cause is told', async () => {
    await acme.policy({ name: 'one', effect: 'forbid', priority: 2 })
    await acme.policy({ name: 'two', effect: 'forbid', priority: 1, message: 'second' })
    const rejected = await trace(() => acme.execute('update_contact'))

    expect(rejected).toMatchObject({
      types: [E, ...ASKED, 'policy.violated', 'policy.violated', 'action.rejected'],
      artifacts: ['action.rejected'],
    })
    expect(rejected.events.at(-1)?.data).toMatchObject({ rejection_method: 'policy', approval_id: null })
  })

  test('a policy that raises is told before what it led to', async () => {
    await acme.policy({ name: 'careful', effect: 'min_tier', tier: 'SOFT' })
    await acme.policy({ name: 'watched', effect: 'min_tier', tier: 'HARD', mode: 'shadow' })
    const raised = await trace(() => acme.execute('get_contact'))

    expect(raised.types).toEqual([
      E,
      ...ASKED,
      'policy.violated',
      'action.approved',
      'protocol.executed',
      'agent.completed',
    ])
    expect(raised.events[3]?.data).toMatchObject({ policy_name: 'careful', outcome: 'raised' })
  })

  test('approved is executed in the same transaction, with two artifacts', async () => {
    const { approval } = await acme.held()
    const approved = await trace(() => acme.approve(approval.id))

    expect(approved).toMatchObject({
      types: [E, E, 'action.approved', 'protocol.executed', 'agent.completed'],
      artifacts: ['action.requested', 'approval.approved', 'protocol.executed'],
    })
    expect(approved.events[2]?.data).toMatchObject({ approval_method: 'manual', risk_tier: 'HARD' })
  })

  test('rejected by a person or key', async () => {
    const { approval } = await acme.held()
    const rejected = await trace(() => acme.reject(approval.id, { reason: 'no' }))

    expect(rejected).toMatchObject({
      types: [E, 'action.rejected'],
      artifacts: ['action.requested', 'approval.rejected'],
    })
    expect(rejected.events[1]?.data).toMatchObject({
      rejection_method: 'manual',
      approval_id: approval.id,
      reason: 'no',
    })
  })

  test('expires', async () => {
    const { approval, receipt } = await acme.held()
    const events = await acme.told(async () => {
      local.clock.moveTo(Date.parse(approval.expires_at))
      await local.sweep()
    })

    expect(types(events)).toEqual([E, 'action.rejected'])
    expect(events[1]?.data).toMatchObject({ rejection_method: 'expired', rejected_by: 'system' })
    expect(types((await acme.look(receipt.request_id)).evidence)).toEqual(['action.requested', 'approval.expired'])
  })

  test('one vote of two leaves evidence only, and the next stage is asked', async () => {
    const stage = { groups: ['any'], min_approvals: 2 }
    const approval = { stages: [stage, { groups: ['role:approver', 'any'] }] }
    await acme.policy({ name: 'staged', effect: 'require_approval', approval })
    const key = await makeKey(acme, { created_by: 'usr_second' })
    const held = await acme.held()

    expect((await trace(() => acme.approve(held.approval.id))).types).toEqual([E])
    const next = await trace(() => acme.approve(held.approval.id, {}, { key }))

    expect(next).toMatchObject({
      types: [E, 'protocol.approval.requested'],
      artifacts: ['action.requested', 'approval.voted', 'approval.voted'],
    })
  })

  test('whose manifest changed before the vote is asked for again', async () => {
    const { approval, receipt } = await acme.held()
    await acme.register([{ action_id: 'delete_contact' }], { version: '1.0.1' })
    const events = await acme.told(() => acme.approve(approval.id))

    expect(types(events)).toEqual([E, 'protocol.approval.requested'])
    expect(types((await acme.look(receipt.request_id)).evidence)).toEqual(['action.requested', 'approval.cancelled'])
  })

  test('which a policy forbids by now is rejected at the vote', async () => {
    const { approval, receipt } = await acme.held()
    await acme.policy({ name: 'never', effect: 'forbid' })
    const events = await acme.told(() => acme.approve(approval.id))

    expect(types(events)).toEqual([E, 'action.rejected'])
    expect(events[1]?.data).toMatchObject({ rejection_method: 'policy' })
    expect(types((await acme.look(receipt.request_id)).evidence)).toEqual(['action.requested', 'approval.rejected'])
  })

  test('is undone', async () => {
    const { body } = await acme.execute('update_contact')
    const undone = await trace(() => acme.undo(body.receipt.request_id))

    expect(undone).toMatchObject({
      types: [E, 'execution.undone'],
      artifacts: ['protocol.executed', 'execution.undone'],
    })
    expect(undone.events[1]?.data).toMatchObject({ compensation: 'caller', undo_request_id: null })
  })

  test('of a person tells nothing of agents', async () => {
    const principal = {
      kind: 'user' as const,
      id: acme.owner.id,
      permissions: new Set([]),
      roles: ['owner'],
      persons: [acme.owner.id],
    }
    const request = { ...acme.ctx.request, at: local.clock.now() }
    const ctx = createContext({ space: acme.ctx.space, principal, request })
    const body = ExecuteBody.parse({ node_id: NODE_ID, action_id: 'get_contact', payload: {} })
    const events = await acme.told(async () =>
      submit(ctx, await decideOn(ctx, await loadInputs(ctx.table, ctx.space, { body }), body)),
    )

    expect(types(events)).toEqual([E, 'action.requested', 'action.auto_executed', 'protocol.executed'])
  })
})

describe('an action with a target', () => {
  beforeEach(async () => {
    const to = { type: 'http', url: target.url }
    acme = await governed(local, [
      { action_id: 'get_contact', target: to },
      { action_id: 'update_contact', target: to, undo_action_id: 'restore_contact' },
      { action_id: 'restore_contact', target: to },
      { action_id: 'delete_contact', target: to },
    ])
  })

  const TWO = ['action.requested', 'protocol.executed']

  test('AUTO is executed in two transactions', async () => {
    expect(await trace(() => acme.execute('get_contact'))).toMatchObject({
      types: [E, ...ASKED, E, 'action.auto_executed', 'protocol.executed', 'agent.completed'],
      artifacts: TWO,
    })
  })

  test('SOFT is approved with the first of them', async () => {
    expect(await trace(() => acme.execute('update_contact'))).toMatchObject({
      types: [E, ...ASKED, 'action.approved', E, 'protocol.executed', 'agent.completed'],
      artifacts: TWO,
    })
  })

  test('fails', async () => {
    target.next(json(500, {}))
    const failed = await trace(() => acme.execute('get_contact'))

    expect(failed).toMatchObject({ types: [E, ...ASKED, E, 'protocol.executed', 'agent.failed'], artifacts: TWO })
    expect(failed.events[4]?.data).toMatchObject({ status: 'failed' })
    expect(failed.events[5]?.data).toMatchObject({
      error_code: 'target_status',
      error_message: 'The target answered 500.',
    })
  })

  test('has an outcome that nobody knows', async () => {
    target.next(reset)
    const unknown = await trace(() => acme.execute('get_contact'))

    expect(unknown).toMatchObject({ types: [E, ...ASKED, E, 'protocol.executed', 'agent.failed'], artifacts: TWO })
    expect(unknown.events[4]?.data).toMatchObject({ status: 'unknown' })
    expect(unknown.events[5]?.data).toMatchObject({ error_code: 'target_timeout' })
  })

  test('approved is claimed, then called', async () => {
    const { approval } = await acme.held()

    expect(await trace(() => acme.approve(approval.id))).toMatchObject({
      types: [E, 'action.approved', E, E, 'protocol.executed', 'agent.completed'],
      artifacts: ['action.requested', 'approval.approved', 'execution.started', 'protocol.executed'],
    })
  })

  test('is undone by an execution of its own', async () => {
    const { body } = await acme.execute('update_contact')
    const undone = await trace(() => acme.undo(body.receipt.request_id))

    expect(undone).toMatchObject({
      types: [
        E,
        ...[E, ...ASKED, 'action.approved'],
        ...[E, 'protocol.executed', 'agent.completed'],
        ...[E, 'execution.undone'],
      ],
      artifacts: [...TWO, 'execution.undo_started', 'execution.undone'],
    })
    expect(undone.events.at(-1)?.data).toMatchObject({ compensation: 'executed', undo_action_id: 'restore_contact' })
  })
})

test('every event of a commit is stamped with its artifact and told once', async () => {
  acme = await governed(local)
  const events = await acme.told(() => acme.execute('update_contact'))
  const [emitted, ...others] = events.map(({ data }) => data)

  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  for (const data of others) {
    const proof =
      'evidence_hash' in data ? data.evidence_hash : 'evidence_artifact_id' in data && data.evidence_artifact_id
    expect(Object.values(emitted ?? {})).toContain(proof)
  }
})
