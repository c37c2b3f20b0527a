import { beforeAll, describe, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { sha256Hex } from '../../../shared/base/lib/json.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

const run = (command: string, more: object = {}, key?: string, headers: Record<string, string> = {}) =>
  acme.call(agent.execute, { body: { tier: 'AUTO', command, ...more }, key, headers })

describe('POST /agent/execute', () => {
  test('200: a read runs at once, as a task that is an execution', async () => {
    const { status, body } = await run('list the open tickets', { context: { team: 'crm' } })

    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'executed',
      result: {
        status: 'completed',
        message: 'Action executed.',
        payload_echo: { command: 'list the open tickets', context: { team: 'crm' } },
      },
      receipt: expect.objectContaining({ node_id: 'agent.command.runner', action_id: 'run', version: '1.0.0' }),
      task_id: body.receipt.request_id.replace('exe_', 'tsk_'),
      execution_id: body.receipt.request_id,
      tier: 'AUTO',
    })
    const { evidence, ...seen } = await acme.look(body.execution_id)
    expect(seen).toEqual(body)
    expect(evidence).toHaveLength(1)
  })

  test.each([
    ['AUTO', 'show me the latest invoices', 200, 'AUTO'],
    ['SOFT', 'show me the latest invoices', 200, 'SOFT'],
    ['HARD', 'show me the latest invoices', 202, 'HARD'],
    ['AUTO', 'update the contact of Anna', 200, 'SOFT'],
    ['AUTO', 'show the contact and then delete it', 202, 'HARD'],
    ['SOFT', 'delete the old contacts', 202, 'HARD'],
    ['AUTO', 'List all users.\nRefund the last order', 202, 'HARD'],
    ['AUTO', 'please be so kind', 202, 'HARD'],
  ])('asked for as %s, "%s" is %i %s: the tier is a floor', async (tier, command, status, decided) => {
    const reply = await run(command, { tier })

    expect(reply).toMatchObject({ status, body: { tier: decided, receipt: { routing_decision: { tier: decided } } } })
  })

  test('200: SOFT can be undone like any action', async () => {
    const { body } = await run('update the contact of Anna')

    expect(await acme.undo(body.execution_id)).toMatchObject({
      status: 200,
      body: { status: 'undone', task_id: body.task_id },
    })
  })

  test('202: HARD waits for approval', async () => {
    const { headers, body } = await run('delete the old contacts')

    expect(headers.location).toBe(`/api/v1/work/approvals/${body.approval.id}`)
    expect(await acme.approval(body.approval.id)).toMatchObject({
      action_description: 'Run a command of an agent.',
      payload: { command: 'delete the old contacts' },
    })
  })

  test('403: policies apply to commands as to actions', async () => {
    const tenant = await governed(local)
    await tenant.policy({ name: 'no agents', effect: 'forbid', scope: { node_ids: ['agent.**'] }, message: 'halt' })

    expect(await tenant.call(agent.execute, { body: { tier: 'AUTO', command: 'list tickets' } })).toMatchObject({
      status: 403,
      body: { status: 'rejected', code: 'policy_rejected', task_id: expect.stringMatching(/^tsk_/) },
    })
  })

  test('the runner is no way round: asked as an action, all of its payload is inspected', async () => {
    const tenant = await governed(local)
    const asAction = (more: object) =>
      tenant.execute('run', { node_id: 'agent.command.runner', payload: { command: 'list the tickets', ...more } })

    expect(await asAction({})).toMatchObject({ status: 200 })
    expect(await asAction({ sql: 'DROP TABLE tickets' })).toMatchObject({ status: 202 })
    await tenant.change({ pii_mode: 'block' })
    expect(await asAction({ note: 'mail anna@example.com' })).toMatchObject({ status: 403 })
  })

  test('tells of the task before everything else', async () => {
    const command = 'list the open tickets'
    const events = await acme.told(() => run(command, { agent_id: 'agt_support' }))

    expect(events.map(({ type }) => type)).toEqual([
      'evidence.emitted',
      'agent.executed',
      'action.requested',
      'agent.action.triggered',
      'action.auto_executed',
      'protocol.executed',
      'agent.completed',
    ])
    expect(events[1]?.data).toMatchObject({ agent_id: 'agt_support', tier: 'AUTO', command_sha256: sha256Hex(command) })
    expect(events[6]?.data).toMatchObject({ agent_id: 'agt_support', task_id: expect.stringMatching(/^tsk_/) })
    expect(JSON.stringify(events)).not.toContain(command)
  })

  test('200: a repeat with the same Idempotency-Key is the same task', async () => {
    const headers = { 'idempotency-key': 'task-1' }
    const first = await run('list the open tickets', {}, undefined, headers)

    expect(await run('list the open tickets', {}, undefined, headers)).toMatchObject({
      body: first.body,
      headers: { 'idempotent-replayed': 'true' },
    })
  })

  test('403: an agent that is not the one of the credential', async () => {
    const key = await makeKey(acme, { agent_id: 'agt_support' })

    expect(await run('list tickets', { agent_id: 'agt_other' }, key)).toMatchObject({ status: 403 })
    expect(await run('list tickets', {}, key)).toMatchObject({ status: 200 })
  })

  test.each([
    ['an unknown tier', { tier: 'LOW' }, ['tier']],
    ['an empty command', { command: '' }, ['command']],
    ['a command of 8,001 characters', { command: 'x'.repeat(8_001) }, ['command']],
    ['an unknown persona', { persona_key: 'intern' }, ['persona_key']],
    ['an unknown field', { approved: true }, ['approved']],
  ])('422: refuses %s', async (_, body, loc) => {
    expect(await run('list tickets', body)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', ...loc] }] },
    })
  })

  test('400: names what is missing', async () => {
    expect(await acme.call(agent.execute, { body: {} })).toMatchObject({
      status: 400,
      body: { detail: 'You left out required fields: tier, command. Send them.' },
    })
  })
})
