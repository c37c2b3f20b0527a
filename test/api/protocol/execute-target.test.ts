import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { canonicalJson } from '../../../shared/base/lib/json.ts'
import {
  verifyServiceSignature,
  verifyStandardWebhook,
  verifyWebhookSignature,
} from '../../../shared/deliver/webhooks/verify.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { json, reset, silence, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
beforeEach(async () => {
  target = await startTarget()
  const to = { type: 'http', url: target.url, timeout_ms: 1_000 }
  acme = await governed(local, [
    { action_id: 'get_contact', target: to },
    { action_id: 'update_contact', target: to },
    { action_id: 'list_contacts', target: to, idempotency: true },
    { action_id: 'delete_contact', target: to },
  ])
})
afterEach(() => target.stop())

const payload = { contact: 'con_1' }
/** The action whose target honours the Idempotency-Key, and one whose target does not. */
const idempotent = () => acme.execute('list_contacts', { payload })
const other = () => acme.execute('get_contact', { payload })

const failed = (message: string, error: object, retries: number) => ({
  status: 502,
  body: {
    detail: message,
    code: 'target_failed',
    trace_id: expect.stringMatching(/^[\da-f]{32}$/),
    error,
    status: 'failed',
    result: { status: 'failed', message, payload_echo: payload },
    receipt: { retries },
  },
})
const UNKNOWN = 'The target gave no usable answer; the outcome is not known.'
const unknown = (retries: number) => ({
  status: 502,
  body: {
    detail: UNKNOWN,
    code: 'target_failed',
    error: { code: 'target_timeout' },
    status: 'outcome_unknown',
    result: { status: 'unknown', message: UNKNOWN, payload_echo: payload },
    receipt: { retries },
  },
})
const keysSent = () => new Set(target.calls.map(({ headers }) => headers['idempotency-key']))

describe('POST /api/v1/protocol/execute, action with a target', () => {
  test('200: the target’s answer is the output', async () => {
    target.next(json(201, { id: 7, text: 'Zoë', list: [null, { deep: true }] }))
    const { status, body } = await acme.execute('update_contact', { payload })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'executed',
      result: {
        status: 'completed',
        message: 'Action executed.',
        payload_echo: payload,
        output: { id: 7, text: 'Zoë', list: [null, { deep: true }] },
      },
      receipt: { retries: 0, routing_decision: { tier: 'SOFT' } },
      undo_until: expect.any(String),
      undo_url: expect.any(String),
    })
    const { evidence, ...later } = await acme.look(body.receipt.request_id)
    expect(later).toEqual(body)
    expect(evidence.map(({ type }: { type: string }) => type)).toEqual(['action.requested', 'protocol.executed'])
    expect(evidence[1]).toMatchObject({
      artifact_id: body.receipt.evidence_artifact_id,
      hash: body.receipt.evidence_hash,
    })
  })

  test('200: the target is told exactly what was decided on', async () => {
    const { receipt } = bodyOf(await acme.execute('update_contact', { payload: { b: 1, a: 'é' } }), 200)
    const [call] = target.calls
    const { evidence } = await acme.look(receipt.request_id)

    expect(call?.body).toEqual({
      request_id: receipt.request_id,
      trace_id: receipt.trace_id,
      correlation_id: receipt.correlation_id,
      tenant_id: acme.tenant_id,
      node_id: 'crm.contacts.editor',
      action_id: 'update_contact',
      version: '1.0.0',
      tier: 'SOFT',
      payload: { b: 1, a: 'é' },
      requested_evidence_hash: evidence[0].hash,
      signature: expect.any(String),
    })
    expect(call?.text).toBe(canonicalJson(call?.body))
    expect(call).toMatchObject({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': receipt.request_id,
        traceparent: expect.stringContaining(receipt.trace_id),
        'webhook-id': receipt.request_id,
      },
    })
  })

  test('200: method, headers and every signature are those of the manifest', async () => {
    const headers = { authorization: 'Bearer s3cr3t', 'x-team': 'crm' }
    const to = { type: 'http', url: target.url, method: 'PUT', headers }
    const version = { version: '2.0.0' }
    const rotated = bodyOf(
      await acme.register([{ action_id: 'get_contact', target: to }], version, { rotate_signing_secret: true }),
      201,
    )
    await acme.execute('get_contact')
    const [call] = target.calls
    const sent = { headers: call?.headers as Record<string, string>, body: call?.text ?? '' }
    const now = Math.floor(local.clock.now() / 1_000)

    expect(call).toMatchObject({ method: 'PUT', headers })
    expect(verifyWebhookSignature(sent, rotated.signing_secret, now)).toBe(true)
    expect(verifyServiceSignature(sent, rotated.signing_secret)).toBe(true)
    expect(verifyStandardWebhook(sent, rotated.signing_secret, now)).toBe(true)
  })

  test.each([429, 502, 503, 504])('502: %i is tried again where a repeat is safe', async (status) => {
    const failure = json(status, {})
    target.next(failure, failure)
    expect(await idempotent()).toMatchObject({
      status: 200,
      body: { receipt: { retries: 2 }, result: { output: { ok: true } } },
    })
    target.next(failure, failure, failure)
    const message = `The target answered ${status}.`
    expect(await idempotent()).toMatchObject(failed(message, { code: 'target_status', http_status: status }, 2))
    expect(target.calls).toHaveLength(6)
    expect(keysSent().size).toBe(2)

    target.next(failure)
    expect(await other()).toMatchObject(failed(message, { code: 'target_status', http_status: status }, 0))
    expect(target.calls).toHaveLength(7)
  })

  test.each([302, 400, 404, 500, 501])('502: %i fails at once', async (status) => {
    for (const run of [idempotent, other]) {
      target.next(json(status, {}, { location: target.url }))
      const message = `The target answered ${status}.`
      expect(await run()).toMatchObject(failed(message, { code: 'target_status', http_status: status }, 0))
    }
    expect(target.calls).toHaveLength(2)
  })

  test('502: a failed action says no more than that', async () => {
    target.next(json(500, { secret: 'stack trace' }))
    const { body } = await acme.execute('update_contact', { payload })

    expect(Object.keys(body).toSorted()).toEqual(['code', 'detail', 'error', 'receipt', 'result', 'status', 'trace_id'])
    expect(JSON.stringify(body)).not.toContain('stack trace')
  })

  test('502: a connection reset after sending leaves the outcome unknown, at once where a repeat is not safe', async () => {
    target.next(reset)
    expect(await other()).toMatchObject(unknown(0))
    expect(target.calls).toHaveLength(1)

    target.next(reset, reset, reset)
    expect(await idempotent()).toMatchObject(unknown(2))
    expect(target.calls).toHaveLength(4)
    expect(keysSent().size).toBe(2)

    target.next(reset)
    expect(await idempotent()).toMatchObject({ status: 200, body: { receipt: { retries: 1 } } })
  })

  test('502: so does silence until the deadline', async () => {
    target.next(silence)

    expect(await other()).toMatchObject(unknown(0))
    expect(target.calls).toHaveLength(1)
  })

  test('502: a target that cannot be reached is tried again whatever it honours, then failed', async () => {
    await target.stop()
    const expected = failed('The target could not be reached.', { code: 'target_unreachable' }, 2)

    expect(await other()).toMatchObject(expected)
    expect(await idempotent()).toMatchObject(expected)
    target = await startTarget()
  })

  test('502: an address that may not be called is refused without a try', async () => {
    const allowed = process.env.OUTBOUND_ALLOW_CIDRS
    delete process.env.OUTBOUND_ALLOW_CIDRS
    const reply = await other()
    Object.assign(process.env, { OUTBOUND_ALLOW_CIDRS: allowed })

    expect(reply).toMatchObject(failed('The address of the target may not be called.', { code: 'target_refused' }, 0))
    expect(target.calls).toEqual([])
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'the target of a %s gets the whole body, and its answer counts',
    async (method) => {
      await acme.register([{ action_id: 'delete_contact', target: { type: 'http', url: target.url, method } }], {
        version: '1.1.0',
      })
      const { approval } = await acme.held('delete_contact', { payload })

      const { execution } = bodyOf(await acme.approve(approval.id), 200)

      expect(execution).toMatchObject({ status: 'executed', result: { output: { ok: true } } })
      expect(target.calls).toMatchObject([{ method, body: { payload } }])
    },
  )

  test('202, then 200: an approved action is called once, and told of the approval', async () => {
    const { approval, receipt } = await acme.held('delete_contact', { payload })
    expect(target.calls).toEqual([])
    const { status, body } = await acme.approve(approval.id)

    expect(status).toBe(200)
    expect(body.execution).toMatchObject({ status: 'executed', result: { output: { ok: true } }, receipt })
    expect(body.execution).not.toHaveProperty('undo_until')
    expect(target.calls).toHaveLength(1)
    expect(target.calls[0]?.body).toMatchObject({
      tier: 'HARD',
      approval: {
        id: approval.id,
        approved_by: `key:${body.decided_by.id}`,
        approved_at: body.decided_at,
        action_digest: approval.action_digest,
      },
    })
  })

  test('200: a failing target does not fail the approval', async () => {
    target.next(json(500, {}))
    const { approval } = await acme.held()

    expect(await acme.approve(approval.id)).toMatchObject({
      status: 200,
      body: {
        status: 'approved',
        execution: { status: 'failed', code: 'target_failed', error: { code: 'target_status', http_status: 500 } },
      },
    })
  })
})
