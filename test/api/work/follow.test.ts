// Tasks that follow an execution or an approval, each move in the transaction of its source.
import { beforeAll, describe, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { approvals } from '../../../shared/govern/approvals/approval.ts'
import { EXECUTION_STATES, EXECUTION_STATUSES } from '../../../shared/govern/executions/states.ts'
import { FOLLOWS } from '../../../shared/govern/tasks/states.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

const taskOf = async (id: string) => bodyOf(await acme.call(work.getTask, { params: { id } }), 200)
const command = async (text: string, status: number) =>
  bodyOf(await acme.call(agent.execute, { body: { tier: 'AUTO', command: text } }), status)
const decide = (id: string) => acme.call(work.createTask, { body: decision(id) })
const decision = (id: string) => ({ title: 'Decide', kind: 'approval', source: { type: 'approval', id } })

describe('the task of an execution', () => {
  test('is made with it, and is done when it ran', async () => {
    const { task_id, execution_id } = await command('list open tickets', 200)

    expect(task_id).toBe(execution_id.replace('exe_', 'tsk_'))
    const task = await taskOf(task_id)
    expect(task).toMatchObject({
      kind: 'agent',
      status: 'completed',
      tier: 'AUTO',
      assignee: null,
      source: { type: 'execution', id: execution_id },
      sla: { status: 'hit' },
    })
    expect(JSON.stringify(task)).not.toContain('tickets')
  })

  test('is blocked while its approval waits, with no clock running, and done with the approval', async () => {
    const { task_id, approval } = await command('delete the old contacts', 202)
    expect(await taskOf(task_id)).toMatchObject({ status: 'blocked', sla: { running_since: null } })

    bodyOf(await acme.approve(approval.id), 200)
    expect(await taskOf(task_id)).toMatchObject({ status: 'completed', version: 2 })
  })

  test.each([
    ['rejected', async (id: string) => acme.reject(id)],
    ['expired', async () => local.advance(86_400_000).then(() => local.sweep())],
  ])('is cancelled when that is %s', async (resolution, end) => {
    const { task_id, approval } = await command('delete the old contacts', 202)
    await end(approval.id)
    expect(await taskOf(task_id)).toMatchObject({ status: 'cancelled', resolution, sla: { status: 'none' } })
  })

  test('goes on being its own for all but its status', async () => {
    const { task_id, approval } = await command('delete the old contacts', 202)
    const change = (body: object) => acme.call(work.updateTask, { params: { id: task_id }, body })

    expect(bodyOf(await change({ status: 'cancelled' }), 409).detail).toContain('follows its execution')
    bodyOf(await change({ priority: 'high', labels: ['contacts'], note: 'soon', due_at: '2027-01-01T00:00:00Z' }), 200)
    bodyOf(await acme.approve(approval.id), 200)
    expect(await taskOf(task_id)).toMatchObject({ status: 'completed', priority: 'high', comments_count: 1 })
  })

  test('has a place for every state that an execution can have', () => {
    expect(Object.keys(FOLLOWS.execution).toSorted()).toEqual([...EXECUTION_STATUSES].toSorted())
    const ends = EXECUTION_STATUSES.filter((status) => EXECUTION_STATES[status].length === 0)
    for (const status of ends) expect(['completed', 'cancelled']).toContain(FOLLOWS.execution[status].status)
  })
})

describe('the task of an approval', () => {
  test('is open while it waits, and done with it', async () => {
    const { approval } = await acme.held()
    const task = bodyOf(await decide(approval.id), 201)
    expect(task).toMatchObject({
      id: approval.id.replace('apr_', 'tsk_'),
      status: 'open',
      tier: 'HARD',
      sla: { policy_id: 'sla_approvals-hard' },
    })

    const decided = bodyOf(await acme.approve(approval.id), 200)
    expect(decided).toMatchObject({ task_id: task.id, status: 'approved' })
    expect(await taskOf(task.id)).toMatchObject({ status: 'completed', resolution: 'approved' })
    await local.drain()
    expect((await acme.approval(approval.id)).evidence_status).toBe('verified')
  })

  test('is cancelled when it is rejected', async () => {
    const { approval } = await acme.held()
    const { id } = bodyOf(await decide(approval.id), 201)
    await acme.reject(approval.id)
    expect(await taskOf(id)).toMatchObject({ status: 'cancelled', resolution: 'rejected' })
  })

  test('409: there is one at most, and none for what is decided', async () => {
    const { approval } = await acme.held()
    const both = await Promise.all([decide(approval.id), decide(approval.id)])
    expect(both.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 409]))

    const { approval: other } = await acme.held()
    await acme.reject(other.id)
    bodyOf(await decide(other.id), 409)
  })

  test('does not keep a vote from counting that comes at the same time', async () => {
    const { approval } = await acme.held()
    const { id } = bodyOf(await decide(approval.id), 201)
    const notes = Array.from({ length: 2 }, (_, index) =>
      acme.call(work.updateTask, { params: { id }, body: { note: `note ${index}` } }),
    )
    const [vote, ...answers] = await Promise.all([acme.approve(approval.id), ...notes])

    expect([vote.status, ...answers.map(({ status }) => status)]).toEqual([200, 200, 200])
    expect(await taskOf(id)).toMatchObject({ status: 'completed', comments_count: 2 })
  })
})

test('an approval says how soon it should be decided, and so does its event', async () => {
  const events = await acme.told(() => acme.held())
  const asked = events.find(({ type }) => type === 'protocol.approval.requested')
  if (!asked) throw new Error('nobody was asked')
  const { approval_id, sla_due_at } = asked.data as { approval_id: string; sla_due_at: string }
  const stored = await acme.ctx.table.get(approvals, { ...acme.ctx.space, id: approval_id })

  expect(Date.parse(sla_due_at) - Date.parse(stored?.requested_at ?? '')).toBe(240 * 60_000)
  expect(await acme.approval(approval_id)).toMatchObject({
    sla: { policy_id: 'sla_approvals-hard', status: 'active', resolution_due_at: sla_due_at },
  })
  bodyOf(await acme.approve(approval_id), 200)
  expect(await acme.approval(approval_id)).toMatchObject({ sla: { status: 'hit' } })
})
