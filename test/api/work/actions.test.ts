// Completing the task of a runbook's action requests the action for whoever completes it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { incidents } from '../../../functions/incidents/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { runbooks } from '../../../functions/runbooks/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { taskPartition, tasks } from '../../../shared/govern/tasks/task.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { personWith } from '../../support/people.ts'
import { ownerInPerson, type SignedIn, signIn } from '../../support/sign-in.ts'
import { json, reset, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
let target: TestTarget
beforeAll(async () => {
  target = await startTarget()
  const input_schema = { type: 'object', required: ['contact'] }
  acme = await governed(local, [
    { action_id: 'get_contact', input_schema },
    { action_id: 'update_contact' },
    { action_id: 'delete_contact' },
    { action_id: 'list_contacts', target: { type: 'http', url: target.url, timeout_ms: 1_000 } },
  ])
  owner = await signIn(local, acme.owner)
})
afterAll(() => target.stop())

type Caller = { call: Governed['call'] }
let named = 0
const step = (action_id: string, more: object = {}) => ({
  title: `Run ${action_id}`,
  kind: 'action',
  node_id: NODE_ID,
  action_id,
  payload_template: { contact: '{{incident.id}}' },
  ...more,
})
const runbook = async (steps: object[], name = `runbook-${(named += 1)}`, by: Caller = acme) =>
  bodyOf(await by.call(runbooks.create, { body: { name, steps } }), 201)
/** The task of the only step of a new incident. */
async function opened(steps: object[], by: Caller = acme): Promise<{ id: string; incident: string }> {
  const { id: runbook_id } = await runbook(steps, undefined, by)
  const body = { title: 'Paid twice', severity: 'sev2', runbook_id }
  const { id: incident, step_task_ids } = bodyOf(await acme.call(incidents.create, { body }), 201)
  return { id: step_task_ids[0], incident }
}
const taskFor = async (action_id: string, more: object = {}) => (await opened([step(action_id, more)])).id
const complete = (id: string, by: Caller = acme, body: object = {}) =>
  by.call(work.updateTask, { params: { id }, body: { status: 'completed', ...body } })
const task = async (id: string) => bodyOf(await acme.call(work.getTask, { params: { id } }), 200)
/** The newest first. */
const executions = async () => bodyOf(await acme.call(protocol.listExecutions, { query: { limit: 200 } }), 200).items
const approvalOf = async (request_id: string) => (await acme.look(request_id)).approval.id

/** The sweeper comes after the approvals expired, and sessions too. */
async function past(): Promise<void> {
  local.clock.moveTo(local.clock.now() + 86_400_000)
  await local.sweep()
  owner = await signIn(local, acme.owner)
}

/** Completes a task whose action waits for approval. */
async function waiting(by: Caller = acme): Promise<{ id: string; execution: string; approval: string }> {
  const id = await taskFor('delete_contact')
  const { action } = bodyOf(await complete(id, by), 200)
  return { id, execution: action.execution.id, approval: await approvalOf(action.execution.id) }
}

describe('the task of an action step', () => {
  test('shows what completing it runs, filled when it was opened, in the version that was linked', async () => {
    const name = 'pinned'
    const { id: runbook_id } = await runbook([step('get_contact', { timeout_s: 600 })], name)
    const body = { title: 'Paid twice', severity: 'sev2', runbook_id }
    const { id: incident, step_task_ids } = bodyOf(await acme.call(incidents.create, { body }), 201)
    await runbook([step('delete_contact', { payload_template: { contact: 'all' } })], name)
    const [id] = step_task_ids

    const shown = await task(id)
    expect(shown).toMatchObject({
      kind: 'incident_step',
      status: 'open',
      action: {
        node_id: NODE_ID,
        action_id: 'get_contact',
        runbook_id,
        runbook_version: 1,
        payload: { contact: incident },
        digest: expect.stringMatching(/^sha256:[\da-f]{64}$/),
      },
    })
    expect(Math.round((Date.parse(shown.due_at) - Date.parse(shown.created_at)) / 1_000)).toBe(600)

    const done = bodyOf(await complete(id), 200)
    expect((await acme.look(done.action.execution.id)).receipt).toMatchObject({ action_id: 'get_contact' })
  })

  test('is done with the action, which the completer requested, in one transaction with its evidence', async () => {
    const { id, incident } = await opened([step('get_contact')])
    const told = await acme.told(async () => bodyOf(await complete(id, owner, { note: 'Now.' }), 200))
    const done = await task(id)
    const { id: execution } = done.action.execution

    expect(done).toMatchObject({ status: 'completed', tier: 'AUTO', resolution: `executed: ${execution}` })
    const ran = await acme.look(execution)
    expect(ran).toMatchObject({
      status: 'executed',
      task_id: id,
      result: { payload_echo: { contact: incident } },
    })
    expect((await executions())[0]).toMatchObject({
      request_id: execution,
      requested_by: { type: 'user', id: owner.user_id },
    })
    const artifacts = told
      .filter(({ type }) => type === 'evidence.emitted')
      .map(({ data }) => (data as { artifact_type: string }).artifact_type)
    expect(artifacts.toSorted()).toEqual(['protocol.executed', 'task.updated'])
    expect((await task(id)).notes).toMatchObject([{ text: 'Now.' }])
  })

  test('waits in review while an approval does, and is done with the vote', async () => {
    const { id, execution, approval } = await waiting()
    expect(await task(id)).toMatchObject({
      status: 'in_review',
      tier: 'HARD',
      action: { execution: { id: execution, status: 'pending_approval' } },
    })
    expect(bodyOf(await complete(id), 409).detail).toContain('follows its execution')
    bodyOf(await acme.call(work.updateTask, { params: { id }, body: { status: 'in_progress' } }), 409)

    expect((await acme.approve(approval, {}, { key: acme.live_key })).status).toBe(403)
    bodyOf(await acme.approve(approval), 200)
    expect(await task(id)).toMatchObject({ status: 'completed', resolution: `executed: ${execution}` })
  })

  test.each([
    ['was rejected by an approver', async (approval: string) => acme.reject(approval)],
    ['was not approved in time', async () => past()],
  ])('goes on when its action %s, and may be completed again', async (why, end) => {
    const { id, execution, approval } = await waiting()
    await end(approval)

    const back = await task(id)
    expect(back).toMatchObject({ status: 'in_progress', comments_count: 1, action: { execution: { id: execution } } })
    expect(back.notes[0].text).toContain(why)
    const again = bodyOf(await complete(id), 200)
    expect(again).toMatchObject({ status: 'in_review' })
    expect(again.action.execution.id).not.toBe(execution)
  })

  test('goes on when a policy rejects its action, which is stored like every request', async () => {
    const id = await taskFor('get_contact')
    const scope = { action_ids: ['get_contact'] }
    const { policy_id } = await acme.policy({ name: 'No contacts', effect: 'forbid', scope })
    const back = bodyOf(await complete(id), 200)
    const { tenant_id } = acme
    const { call } = await ownerInPerson(local, acme)
    bodyOf(await call(security.disablePolicy, { params: { tenant_id, policy_id } }), 200)

    expect(back).toMatchObject({ status: 'in_progress', action: { execution: { status: 'rejected' } } })
    expect((await task(id)).notes[0].text).toContain(`${back.action.execution.id} was rejected: Rejected by policy`)
    bodyOf(await complete(id), 200)
  })

  test('goes on when the target fails, and stays in review while nobody knows what it did', async () => {
    const failing = await taskFor('list_contacts')
    target.next(json(500, {}))
    expect(bodyOf(await complete(failing), 200)).toMatchObject({
      status: 'in_progress',
      action: { execution: { status: 'failed' } },
    })
    expect((await task(failing)).notes[0].text).toContain('failed: The target answered 500.')

    const lost = await taskFor('list_contacts')
    target.next(reset)
    expect(bodyOf(await complete(lost), 200)).toMatchObject({
      status: 'in_review',
      action: { execution: { status: 'outcome_unknown' } },
    })
    const calls = target.calls.length
    const settled = bodyOf(await complete(lost, acme, { resolution: 'The contacts are there.' }), 200)
    expect(settled).toMatchObject({ status: 'completed', resolution: 'The contacts are there.' })
    expect(target.calls).toHaveLength(calls)
  })

  test('is open again, for nobody yet, when its action is undone', async () => {
    const id = await taskFor('update_contact')
    const { action } = bodyOf(await complete(id), 200)
    bodyOf(await acme.undo(action.execution.id), 200)

    const back = await task(id)
    expect(back).toMatchObject({ status: 'open', assignee: null })
    expect(back.notes[0].text).toContain('was undone')
  })
})

describe('who completes the task of an action step', () => {
  test('403: needs the right to execute, and else nothing changes', async () => {
    const operator = await personWith(local, owner, ['operator'])
    const id = await taskFor('get_contact')
    const before = (await executions()).length

    expect(bodyOf(await complete(id, operator), 403).detail).toContain('protocol:execute')
    expect(await task(id)).toMatchObject({ status: 'open', version: 1 })
    expect(await executions()).toHaveLength(before)
    bodyOf(await operator.call(work.updateTask, { params: { id }, body: { status: 'in_progress' } }), 200)
  })

  test('403: an AI worker takes on nothing above its tier', async () => {
    const body = { name: 'Bot', kind: 'live', scopes: ['governance:write', 'agent:execute'], agent_id: 'agt_mender' }
    const { id: api_key_id, key } = bodyOf(await owner.call(keys.create, { body }), 201)
    const agent = { agent_id: 'agt_mender', api_key_id }
    bodyOf(
      await owner.call(work.registerWorker, { body: { type: 'ai', name: 'Mender', agent, max_tier: 'SOFT' } }),
      201,
    )
    const bot = acme.as({ key })
    const hard = await taskFor('delete_contact')

    expect(bodyOf(await complete(hard, bot), 403).detail).toContain('up to SOFT')
    expect(await task(hard)).toMatchObject({ status: 'open' })
    const done = bodyOf(await complete(await taskFor('update_contact'), bot), 200)
    const [newest] = await executions()
    expect(newest).toMatchObject({ request_id: done.action.execution.id, agent_id: 'agt_mender', agent_bound: true })
  })

  test('is not approved by whoever wrote the runbook', async () => {
    const author = await makeKey(acme, { created_by: 'usr_author' })
    const { id } = await opened([step('delete_contact')], acme.as({ key: author }))
    const { action } = bodyOf(await complete(id), 200)
    const approval = await approvalOf(action.execution.id)

    expect((await acme.approve(approval, {}, { key: author })).status).toBe(403)
    bodyOf(await acme.approve(approval), 200)
  })

  test('leaves nothing that waits behind when their key is revoked', async () => {
    const body = { name: 'Mender', kind: 'live', scopes: ['governance:write', 'agent:execute'] }
    const { id: key_id, key } = bodyOf(await owner.call(keys.create, { body }), 201)
    const { id } = await waiting(acme.as({ key }))
    bodyOf(await owner.call(keys.revoke, { params: { id: key_id }, body: {} }), 200)

    expect(await task(id)).toMatchObject({ status: 'in_progress', action: { execution: { status: 'cancelled' } } })
  })

  test('leaves nothing that waits behind when their access ends', async () => {
    const member = await personWith(local, owner, ['member'])
    const id = await taskFor('delete_contact')
    bodyOf(
      await acme.call(work.updateTask, { params: { id }, body: { assignee: { type: 'human', id: member.user_id } } }),
      200,
    )
    bodyOf(await complete(id, member), 200)
    bodyOf(await owner.call(users.update, { params: { id: member.user_id }, body: { status: 'suspended' } }), 200)

    const back = await task(id)
    expect(back).toMatchObject({
      status: 'in_progress',
      assignee: null,
      action: { execution: { status: 'cancelled' } },
    })
    expect(back.notes[0].text).toContain('was cancelled')
  })
})

describe('a task asks for its action once', () => {
  test('whoever completes it at the same time', async () => {
    const id = await taskFor('delete_contact')
    const before = (await executions()).length
    const both = await Promise.all([complete(id), complete(id, owner)])

    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(await executions()).toHaveLength(before + 1)
  })

  test('and a repeat with its Idempotency-Key gets the first answer', async () => {
    const id = await taskFor('get_contact')
    const before = (await executions()).length
    const send = () =>
      acme.call(work.updateTask, {
        params: { id },
        body: { status: 'completed' },
        headers: { 'idempotency-key': 'complete-once' },
      })
    const [first, again] = [bodyOf(await send(), 200), bodyOf(await send(), 200)]

    expect(again).toEqual(first)
    expect(await executions()).toHaveLength(before + 1)
  })
})

describe('an action that cannot be requested', () => {
  test.each([
    ['a payload that the action does not take', step('get_contact', { payload_template: {} }), 'contact'],
    ['an action that is not there', step('forget_contact'), 'not found'],
    ['a node that is not there', step('get_contact', { node_id: 'crm.contacts.nowhere' }), 'not found'],
  ])('409: %s, and the task stays', async (_, given, why) => {
    const { id } = await opened([given])
    expect(bodyOf(await complete(id), 409).detail).toContain(why)
    expect(await task(id)).toMatchObject({ status: 'open', version: 1 })
  })

  test('409: another one than the evidence says that the task was opened with', async () => {
    const id = await taskFor('get_contact')
    const pk = taskPartition(acme.ctx.space, id)
    const forged = JSON.stringify({ ...(await task(id)).action, action_id: 'update_contact', execution: undefined })
    await acme.ctx.table.update({ pk, sk: 'ACTION' }, { set: { text: forged } })

    expect(bodyOf(await complete(id), 409).detail).toContain('not the one that it was opened with')
    expect(await acme.ctx.table.get(tasks, { ...acme.ctx.space, id })).toMatchObject({ status: 'open' })
  })

  test('422: a resolution that is not what the execution says', async () => {
    const id = await taskFor('get_contact')
    expect(bodyOf(await complete(id, acme, { resolution: 'done by hand' }), 422).detail[0].loc).toContain('resolution')
    bodyOf(
      await acme.call(work.updateTask, { params: { id }, body: { status: 'cancelled', resolution: 'by hand' } }),
      200,
    )
  })
})
