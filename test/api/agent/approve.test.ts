import { beforeAll, describe, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { away, inNameOf } from '../../support/away.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

const command = async (text: string, status: number) =>
  bodyOf(await acme.call(agent.execute, { body: { tier: 'AUTO', command: text } }), status)
const approve = (task_id: string, body: object = { reason: 'reviewed' }, key = acme.approver_key) =>
  acme.call(agent.approve, { params: { task_id }, body, key })

describe('POST /agent/approve/{task_id}', () => {
  test.each(['task_id', 'execution_id'])('200: by its %s, a HARD task counts as executed', async (name) => {
    const held = await command('delete the old contacts', 202)
    const { status, body } = await approve(held[name])

    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'executed',
      result: {
        status: 'completed',
        message: 'Action executed.',
        payload_echo: { command: 'delete the old contacts' },
      },
      receipt: held.receipt,
      task_id: held.task_id,
      execution_id: held.execution_id,
      tier: 'HARD',
    })
    expect(await acme.approval(held.approval.id)).toMatchObject({ status: 'approved', reason: 'reviewed' })
  })

  test('200: tells what an approval tells', async () => {
    const { task_id } = await command('delete the old contacts', 202)
    const events = await acme.told(() => approve(task_id))

    expect(events.map(({ type }) => type)).toEqual([
      'evidence.emitted',
      'evidence.emitted',
      'action.approved',
      'protocol.executed',
      'agent.completed',
    ])
  })

  test('200: the same vote again changes nothing', async () => {
    const { task_id } = await command('delete the old contacts', 202)
    const first = await approve(task_id)

    expect(await acme.told(async () => expect(await approve(task_id)).toMatchObject({ body: first.body }))).toEqual([])
  })

  test('200: in the name of somebody who has delegated, and for them only', async () => {
    const { acme: tenant, ada, ben, asksApprovers, delegate } = await away(local)
    await asksApprovers()
    await delegate(ada, ben)
    const body = { tier: 'AUTO', command: 'delete the old contacts' }
    const { task_id, approval } = bodyOf(await tenant.call(agent.execute, { body }), 202)
    const by = (choice: object) =>
      ben.call(agent.approve, { params: { task_id }, body: { reason: 'reviewed', ...choice } })

    expect(await by({ on_behalf_of: ben.user_id })).toMatchObject({ status: 403 })
    expect(await by({ ...inNameOf(ada), allow_for_s: 600 })).toMatchObject({ status: 422 })
    expect(await by(inNameOf(ada))).toMatchObject({ status: 200, body: { status: 'executed' } })
    expect((await tenant.approval(approval.id)).votes).toMatchObject([{ by: { id: ben.user_id }, ...inNameOf(ada) }])
  })

  test('403: nobody approves their own command', async () => {
    const { task_id } = await command('delete the old contacts', 202)

    expect(await approve(task_id, undefined, acme.live_key)).toMatchObject({ status: 403 })
  })

  test('409: a task that needs no approval, or was decided', async () => {
    const auto = await command('list the open tickets', 200)
    const rejected = await command('delete the old contacts', 202)
    await acme.reject(rejected.approval.id)

    expect(await approve(auto.task_id)).toMatchObject({
      status: 409,
      body: { detail: 'This task is executed and needs no approval.' },
    })
    expect(await approve(rejected.task_id, undefined, await makeKey(acme, { created_by: 'usr_second' }))).toMatchObject(
      {
        status: 409,
        body: { detail: 'You cannot change the status from rejected to approved.' },
      },
    )
  })

  test('409, then 200: after a change of policies the successor is decided under the same task', async () => {
    const tenant = await governed(local)
    const { task_id } = bodyOf(
      await tenant.call(agent.execute, { body: { tier: 'HARD', command: 'list tickets' } }),
      202,
    )
    await tenant.policy({ name: 'p', effect: 'forbid', mode: 'shadow' })
    const decide = () =>
      tenant.call(agent.approve, { params: { task_id }, body: { reason: 'ok' }, key: tenant.approver_key })

    expect(await decide()).toMatchObject({ status: 409 })
    expect(await decide()).toMatchObject({ status: 200, body: { status: 'executed', task_id } })
  })

  test('404: a missing task, an execution that is none, a foreign one', async () => {
    const { task_id } = await command('delete the old contacts', 202)
    const { receipt } = await acme.held()
    const other = await governed(local)
    const foreign = await other.call(agent.approve, {
      params: { task_id },
      body: { reason: 'x' },
      key: other.approver_key,
    })

    for (const id of ['tsk_01JD3Q8Z5N0A2C4E6G8J0M2P4R', receipt.request_id, 'x']) {
      const missing = await approve(id)
      expect(missing).toMatchObject({ status: 404, body: { detail: 'task not found' } })
      expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
    }
  })

  test('400 and 422: a reason is required', async () => {
    const { task_id } = await command('delete the old contacts', 202)

    expect(await approve(task_id, {})).toMatchObject({ status: 400 })
    expect(await approve(task_id, { reason: '' })).toMatchObject({ status: 422 })
  })
})
