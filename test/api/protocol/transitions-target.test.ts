// Every move of an execution with a target: the artifacts it leaves and the events it tells, in their order.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Governed, governed } from '../../support/governed.ts'
import { json, reset, startTarget, type TestTarget } from '../../support/target.ts'
import { ASKED, E, trace } from '../../support/trace.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

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
    expect(await trace(acme, () => acme.execute('get_contact'))).toMatchObject({
      types: [E, ...ASKED, E, 'action.auto_executed', 'protocol.executed', 'agent.completed'],
      artifacts: TWO,
    })
  })

  test('SOFT is approved with the first of them', async () => {
    expect(await trace(acme, () => acme.execute('update_contact'))).toMatchObject({
      types: [E, ...ASKED, 'action.approved', E, 'protocol.executed', 'agent.completed'],
      artifacts: TWO,
    })
  })

  test('fails', async () => {
    target.next(json(500, {}))
    const failed = await trace(acme, () => acme.execute('get_contact'))

    expect(failed).toMatchObject({ types: [E, ...ASKED, E, 'protocol.executed', 'agent.failed'], artifacts: TWO })
    expect(failed.events[4]?.data).toMatchObject({ status: 'failed' })
    expect(failed.events[5]?.data).toMatchObject({
      error_code: 'target_status',
      error_message: 'The target answered 500.',
    })
  })

  test('has an outcome that nobody knows', async () => {
    target.next(reset)
    const unknown = await trace(acme, () => acme.execute('get_contact'))

    expect(unknown).toMatchObject({ types: [E, ...ASKED, E, 'protocol.executed', 'agent.failed'], artifacts: TWO })
    expect(unknown.events[4]?.data).toMatchObject({ status: 'unknown' })
    expect(unknown.events[5]?.data).toMatchObject({ error_code: 'target_timeout' })
  })

  test('approved is claimed, then called', async () => {
    const { approval } = await acme.held()

    expect(await trace(acme, () => acme.approve(approval.id))).toMatchObject({
      types: [E, 'action.approved', E, E, 'protocol.executed', 'agent.completed'],
      artifacts: ['action.requested', 'approval.approved', 'execution.started', 'protocol.executed'],
    })
  })

  test('is undone by an execution of its own', async () => {
    const { body } = await acme.execute('update_contact')
    const undone = await trace(acme, () => acme.undo(body.receipt.request_id))

    expect(undone).toMatchObject({
      types: [E, E, ...ASKED, 'action.approved', E, 'protocol.executed', 'agent.completed', E, 'execution.undone'],
      artifacts: [...TWO, 'execution.undo_started', 'execution.undone'],
    })
    expect(undone.events.at(-1)?.data).toMatchObject({ compensation: 'executed', undo_action_id: 'restore_contact' })
  })
})
