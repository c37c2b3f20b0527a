// Every move of a brokered execution: the artifacts it leaves and the events it tells, in their order.
import { beforeEach, describe, expect, test } from 'vitest'
import { executeFor, type Governed, governed, requestOf } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { ASKED, E, trace, typesOf } from '../../support/trace.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed

describe('a brokered action', () => {
  beforeEach(async () => {
    acme = await governed(local)
  })

  test('AUTO is executed', async () => {
    expect(await trace(acme, () => acme.execute('get_contact'))).toMatchObject({
      types: [E, ...ASKED, 'action.auto_executed', 'protocol.executed', 'agent.completed'],
      artifacts: ['protocol.executed'],
    })
  })

  test('SOFT is approved by itself and executed', async () => {
    const soft = await trace(acme, () => acme.execute('update_contact'))

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
    expect(await trace(acme, () => acme.execute('delete_contact'))).toMatchObject({
      types: [E, ...ASKED, 'protocol.approval.requested'],
      artifacts: ['action.requested'],
    })
  })

  test('is rejected by a policy, and each cause is told', async () => {
    await acme.policy({ name: 'one', effect: 'forbid', priority: 2 })
    await acme.policy({ name: 'two', effect: 'forbid', priority: 1, message: 'second' })
    const rejected = await trace(acme, () => acme.execute('update_contact'))

    expect(rejected).toMatchObject({
      types: [E, ...ASKED, 'policy.violated', 'policy.violated', 'action.rejected'],
      artifacts: ['action.rejected'],
    })
    expect(rejected.events.at(-1)?.data).toMatchObject({ rejection_method: 'policy', approval_id: null })
  })

  test('a policy that raises is told before what it led to', async () => {
    await acme.policy({ name: 'careful', effect: 'min_tier', tier: 'SOFT' })
    await acme.policy({ name: 'watched', effect: 'min_tier', tier: 'HARD', mode: 'shadow' })
    const raised = await trace(acme, () => acme.execute('get_contact'))

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
    const approved = await trace(acme, () => acme.approve(approval.id))

    expect(approved).toMatchObject({
      types: [E, E, 'action.approved', 'protocol.executed', 'agent.completed'],
      artifacts: ['action.requested', 'approval.approved', 'protocol.executed'],
    })
    expect(approved.events[2]?.data).toMatchObject({ approval_method: 'manual', risk_tier: 'HARD' })
  })

  test('rejected by a person or key', async () => {
    const { approval } = await acme.held()
    const rejected = await trace(acme, () => acme.reject(approval.id, { reason: 'no' }))

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

    expect(typesOf(events)).toEqual([E, 'action.rejected', E, E]) // both clocks of its SLA ran out, too
    expect(events[1]?.data).toMatchObject({ rejection_method: 'expired', rejected_by: 'system' })
    expect(typesOf((await acme.look(receipt.request_id)).evidence)).toEqual(['action.requested', 'approval.expired'])
  })

  test('one vote of two leaves evidence only, and the next stage is asked', async () => {
    const stage = { groups: ['any'], min_approvals: 2 }
    const approval = { stages: [stage, { groups: ['role:approver', 'any'] }] }
    await acme.policy({ name: 'staged', effect: 'require_approval', approval })
    const key = await makeKey(acme, { created_by: 'usr_second' })
    const held = await acme.held()

    expect((await trace(acme, () => acme.approve(held.approval.id))).types).toEqual([E])
    const next = await trace(acme, () => acme.approve(held.approval.id, {}, { key }))

    expect(next).toMatchObject({
      types: [E, 'protocol.approval.requested'],
      artifacts: ['action.requested', 'approval.voted', 'approval.voted'],
    })
  })

  test('whose definition changed before the vote is asked for again', async () => {
    const { approval, receipt } = await acme.held()
    await acme.register([{ action_id: 'delete_contact', description: 'Deletes for good.' }], { version: '1.0.1' })
    const events = await acme.told(() => acme.approve(approval.id))

    expect(typesOf(events)).toEqual([E, 'protocol.approval.requested'])
    expect(typesOf((await acme.look(receipt.request_id)).evidence)).toEqual(['action.requested', 'approval.cancelled'])
  })

  test('which a policy forbids by now is rejected at the vote', async () => {
    const { approval, receipt } = await acme.held()
    await acme.policy({ name: 'never', effect: 'forbid' })
    const events = await acme.told(() => acme.approve(approval.id))

    expect(typesOf(events)).toEqual([E, 'action.rejected'])
    expect(events[1]?.data).toMatchObject({ rejection_method: 'policy' })
    expect(typesOf((await acme.look(receipt.request_id)).evidence)).toEqual(['action.requested', 'approval.rejected'])
  })

  test('is undone', async () => {
    const { body } = await acme.execute('update_contact')
    const undone = await trace(acme, () => acme.undo(body.receipt.request_id))

    expect(undone).toMatchObject({
      types: [E, 'execution.undone'],
      artifacts: ['protocol.executed', 'execution.undone'],
    })
    expect(undone.events[1]?.data).toMatchObject({ compensation: 'caller', undo_request_id: null })
  })

  test('of a person tells nothing of agents', async () => {
    const events = await acme.told(() => executeFor(requestOf(acme, acme.owner.id), 'get_contact'))

    expect(typesOf(events)).toEqual([E, 'action.requested', 'action.auto_executed', 'protocol.executed'])
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
