import { beforeAll, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

const payload = { contact: 'con_1', note: 'Zoë' }
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const SHA = /^sha256:[\da-f]{64}$/
const passed = (...ids: string[]) => ids.map((policy_id) => ({ policy_id, result: 'pass' }))

const receipt = (action_id: string, routing_decision: object) => ({
  request_id: expect.stringMatching(/^exe_[0-9A-Z]{26}$/),
  trace_id: expect.stringMatching(/^[\da-f]{32}$/),
  correlation_id: expect.stringMatching(/^req_/),
  node_id: NODE_ID,
  action_id,
  version: '1.0.0',
  agent_bound: false,
  policy_evaluations: passed('class', 'manifest', 'request'),
  routing_decision,
  latency_ms: expect.any(Number),
  retries: 0,
  policy_set_version: expect.stringMatching(SHA),
  evidence_artifact_id: expect.stringMatching(/^art_/),
  evidence_hash: expect.stringMatching(SHA),
})
const routing = (tier: string, kind: string, risk: number, value: string) => ({
  strategy: 'manifest',
  tier,
  kind,
  confidence: expect.any(Number),
  risk,
  reasons: [{ signal: 'verb', value, floor: tier }],
})

describe('POST /api/v1/protocol/execute', () => {
  test('200: AUTO runs at once', async () => {
    const { status, body } = await acme.execute('get_contact', { payload })

    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'executed',
      result: { status: 'completed', message: 'Action executed.', payload_echo: payload },
      receipt: receipt('get_contact', routing('AUTO', 'read', 5, 'get')),
    })
  })

  test('200: SOFT runs with an undo window of 30 seconds', async () => {
    const { status, body } = await acme.execute('update_contact', { payload })

    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'executed',
      result: { status: 'completed', message: 'Action executed.', payload_echo: payload },
      receipt: receipt('update_contact', routing('SOFT', 'update', 35, 'update')),
      undo_until: expect.stringMatching(ISO),
      undo_url: `/api/v1/protocol/executions/${body.receipt.request_id}/undo`,
    })
  })

  test('202: HARD waits for approval', async () => {
    const { status, headers, body } = await acme.execute('delete_contact', { payload })

    expect(status).toBe(202)
    expect(headers.location).toBe(`/api/v1/work/approvals/${body.approval.id}`)
    expect(body).toEqual({
      status: 'pending_approval',
      result: { status: 'queued', message: 'Waiting for approval.', payload_echo: payload },
      receipt: receipt('delete_contact', routing('HARD', 'delete', 85, 'delete')),
      approval: {
        id: expect.stringMatching(/^apr_/),
        expires_at: expect.stringMatching(ISO),
        action_digest: expect.stringMatching(SHA),
        stages: [{ groups: ['any'], min_approvals: 1 }],
      },
    })
  })

  test('403: a policy rejects, says which and why, and gives a receipt', async () => {
    const tenant = await governed(local)
    const { policy_id } = await tenant.policy({ name: 'weekends', effect: 'forbid', message: 'no changes on weekends' })
    const { status, body } = await tenant.execute('update_contact', { payload })

    expect(status).toBe(403)
    expect(body).toEqual({
      status: 'rejected',
      detail: `Rejected by policy ${policy_id}: no changes on weekends`,
      code: 'policy_rejected',
      result: { status: 'rejected', message: 'Rejected by policy.', payload_echo: payload },
      receipt: {
        ...receipt('update_contact', routing('SOFT', 'update', 35, 'update')),
        policy_evaluations: [
          ...passed('class', 'manifest', 'request'),
          { policy_id, result: 'forbid', basis: 'true', message: 'no changes on weekends', why: [] },
        ],
      },
    })
  })

  test('200: the receipt carries the ids of the request', async () => {
    const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
    const headers = { traceparent: `00-${trace_id}-00f067aa0ba902b7-01`, 'x-correlation-id': 'order-12345' }
    const reply = await acme.execute('get_contact', {}, { headers })

    expect(reply.body.receipt).toMatchObject({ trace_id, correlation_id: 'order-12345' })
    expect(reply.headers['x-correlation-id']).toBe('order-12345')
  })

  test('202: require_approval holds whatever would run', async () => {
    expect(await acme.execute('get_contact', { policy_context: { require_approval: true } })).toMatchObject({
      status: 202,
      body: { receipt: { routing_decision: { tier: 'HARD', kind: 'read' } } },
    })
  })

  test('202: nothing that a caller or a manifest says lowers a tier', async () => {
    const tenant = await governed(local, [{ action_id: 'delete_contact', approval_required: false, kind: 'read' }])
    const policy_context = { require_approval: false, context: { tier: 'AUTO' } }

    expect(await tenant.execute('delete_contact', { policy_context })).toMatchObject({ status: 202 })
    expect(await tenant.execute('delete_contact', { policy_context, tier: 'AUTO' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'tier'], type: 'extra_forbidden' }] },
    })
  })

  test('200: a latency budget that was not met is only noted', async () => {
    const late = await acme.execute('get_contact', { routing_hints: { latency_budget_ms: 0, unknown: 1 } })
    const early = await acme.execute('get_contact', { routing_hints: { latency_budget_ms: 60_000 } })

    expect(late.body.receipt.routing_decision.budget_exceeded).toBe(true)
    expect(early.body.receipt.routing_decision).not.toHaveProperty('budget_exceeded')
  })

  test.each([
    [
      'a misspelt require_approval',
      { policy_context: { require_aproval: true } },
      ['policy_context', 'require_aproval'],
    ],
    ['an unknown persona', { policy_context: { persona_key: 'intern' } }, ['policy_context', 'persona_key']],
    [
      'a sandbox outcome in live mode',
      { policy_context: { sandbox: { outcome: 'failure' } } },
      ['policy_context', 'sandbox'],
    ],
    ['a node id of two parts', { node_id: 'crm.contacts' }, ['node_id']],
    ['a payload that is a list', { payload: [1] }, ['payload']],
    ['a contract id that is text', { decision_contract_id: '7' }, ['decision_contract_id']],
  ])('422: refuses %s', async (_, body, loc) => {
    const reply = await acme.execute('get_contact', body)

    expect(reply).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', ...loc] }] } })
  })

  test('422: a payload must fit the schema of its action', async () => {
    const input_schema = {
      type: 'object',
      properties: { lines: { type: 'array', items: { type: 'integer' } } },
      required: ['lines'],
    }
    const tenant = await governed(local, [{ action_id: 'get_contact', input_schema }])

    expect(await tenant.execute('get_contact', { payload: { lines: [1, 'x'] } })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'payload', 'lines', 1] }] },
    })
    expect(await tenant.execute('get_contact', { payload: { lines: [1, 2] } })).toMatchObject({ status: 200 })
  })

  test('404: of an unknown node, and of an action that its latest version has not', async () => {
    const tenant = await governed(local)
    await tenant.register([{ action_id: 'get_contact' }], { version: '1.1.0' })

    expect(await tenant.execute('get_contact', { node_id: 'a.b.c' })).toMatchObject({
      status: 404,
      body: { detail: 'node not found' },
    })
    expect(await tenant.execute('delete_contact')).toMatchObject({ status: 404, body: { detail: 'action not found' } })
  })

  test('404: a node of another tenant or mode is a missing one', async () => {
    const body = { node_id: NODE_ID, action_id: 'get_contact', payload: {} }

    expect(await (await local.tenant()).call(protocol.execute, { body })).toMatchObject({ status: 404 })
    expect(await acme.as('sandbox').call(protocol.execute, { body })).toMatchObject({ status: 404 })
  })

  test('403: an agent cannot be named that is not the one of the credential', async () => {
    const key = await makeKey(acme, { agent_id: 'agt_support' })
    const named = (agent_id: string) => acme.execute('get_contact', { policy_context: { agent_id } }, { key })

    expect(await named('agt_other')).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await named('agt_support')).toMatchObject({ status: 200 })
  })

  test('200: an awkward payload is echoed as it was, also when it is long', async () => {
    const awkward = { '': 1, constructor: { prototype: 0.1 }, text: '\u0000é'.repeat(6_000), n: -0 }
    const { body } = await acme.execute('get_contact', { payload: awkward })

    expect(body.result.payload_echo).toEqual({ ...awkward, n: 0 })
    expect((await acme.look(body.receipt.request_id)).result.payload_echo).toEqual({ ...awkward, n: 0 })
  })

  test('403: personal data is refused where the tenant says so', async () => {
    const tenant = await governed(local)
    await tenant.change({ pii_mode: 'block' })

    expect(await tenant.execute('get_contact', { payload: { note: 'mail anna@example.com' } })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('Rejected by policy pii'), result: { status: 'rejected' } },
    })
    expect(await tenant.execute('get_contact')).toMatchObject({ status: 200 })
  })
})
