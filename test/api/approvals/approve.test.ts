import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { stillClock } from '../../support/still-clock.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const clock = stillClock()
const local = useLocalStack({ clock })
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())
beforeEach(async () => {
  clock.moveTo(clock.now() + 1_000) // out of the rate window of the test before
  target.calls.length = 0
  const to = { type: 'http', url: target.url }
  acme = await governed(local, [{ action_id: 'delete_contact' }, { action_id: 'delete_deal', target: to }])
})

const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status)

describe('POST /api/v1/work/approvals/{id}/approve', () => {
  test('200: the held action runs, and the approval says who decided, when and why', async () => {
    const { approval, receipt } = await acme.held()
    const { status, body } = await acme.approve(approval.id, {
      reason: 'reviewed',
      action_digest: approval.action_digest,
    })
    const now = new Date(clock.now()).toISOString()

    expect(status).toBe(200)
    expect(body).toEqual({
      id: approval.id,
      request_id: receipt.request_id,
      status: 'approved',
      action_digest: approval.action_digest,
      node_id: 'crm.contacts.editor',
      action_id: 'delete_contact',
      version: '1.0.0',
      tier: 'HARD',
      kind: 'delete',
      risk: 85,
      reasons: ['verb'],
      requested_by: { type: 'api_key', id: expect.stringMatching(/^key_/) },
      requested_at: now,
      policy_ids: [],
      policy_set_version: receipt.policy_set_version,
      allow_self: false,
      stages: [{ groups: ['any'], min_approvals: 1, mode: 'any', status: 'done' }],
      stage: 0,
      votes: [{ by: body.decided_by, decision: 'approve', at: now, reason: 'reviewed', stage: 0 }],
      expires_at: approval.expires_at,
      decided_by: { type: 'api_key', id: expect.stringMatching(/^key_/) },
      decided_at: now,
      reason: 'reviewed',
      method: 'api_key',
      consumed_at: now,
      sla: {
        policy_id: 'sla_approvals-hard',
        status: 'hit',
        first_response_at: now,
        first_response_due_at: null,
        resolution_due_at: null,
        consumed_ms: 0,
        running_since: null,
        breaches: [],
        escalated: [],
      },
      execution: {
        status: 'executed',
        result: { status: 'completed', message: 'Action executed.', payload_echo: { contact: 'con_1' } },
        receipt,
      },
    })
    expect(body.decided_by.id).not.toBe(body.requested_by.id)
  })

  test('200: a long payload runs as it was asked for', async () => {
    const payload = { contact: 'con_1', note: 'é'.repeat(20_000) }
    const { approval } = await acme.held('delete_deal', { payload })
    const { body } = await acme.approve(approval.id)

    expect(body.execution.result.payload_echo).toEqual(payload)
    expect(target.calls[0]?.body.payload).toEqual(payload)
  })

  test('200: 50 at once have one effect', async () => {
    const { approval, receipt } = await acme.held('delete_deal')
    const keys = await Promise.all(Array.from({ length: 5 }, (_, n) => makeKey(acme, { created_by: `usr_${n}` })))
    const votes = Array.from({ length: 50 }, (_, n) => acme.approve(approval.id, {}, { key: keys[n % 5] }))
    const replies = await Promise.all(votes)

    expect(statusesOf(replies).filter((status) => status !== 200 && status !== 409)).toEqual([])
    expect(statusesOf(replies)).toContain(200)
    expect(target.calls).toHaveLength(1)
    const { votes: counted } = await acme.approval(approval.id)
    expect(counted).toHaveLength(1)
    expect((await acme.look(receipt.request_id)).evidence).toHaveLength(4)
  })

  test('200 or 409: of approving and rejecting at once, one counts', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { approval, receipt } = await acme.held('delete_deal')
      target.calls.length = 0
      const key = await makeKey(acme, { created_by: 'usr_second' })
      const replies = await Promise.all([acme.approve(approval.id), acme.reject(approval.id, {}, { key })])
      const { status } = await acme.look(receipt.request_id)

      expect(new Set(statusesOf(replies))).toEqual(new Set([200, 409]))
      expect(status).toBe(replies[0]?.status === 200 ? 'executed' : 'rejected')
      expect(target.calls).toHaveLength(status === 'executed' ? 1 : 0)
    }
  })

  test('200: the same vote again changes nothing', async () => {
    const { approval } = await acme.held('delete_deal')
    const first = await acme.approve(approval.id)
    const events = await acme.told(async () => {
      const again = await acme.approve(approval.id, { reason: 'again' })
      expect(again).toMatchObject({ status: 200, body: first.body })
    })

    expect(events).toEqual([])
    expect(target.calls).toHaveLength(1)
  })

  test('409: what was decided stays decided', async () => {
    const key = await makeKey(acme, { created_by: 'usr_second' })
    const approved = await acme.held()
    const rejected = await acme.held()
    await acme.approve(approved.approval.id)
    await acme.reject(rejected.approval.id)

    expect(await acme.approve(approved.approval.id, {}, { key })).toMatchObject({
      status: 409,
      body: { detail: 'You cannot change the status from approved to approved.' },
    })
    expect(await acme.approve(rejected.approval.id, {}, { key })).toMatchObject({
      status: 409,
      body: { detail: 'You cannot change the status from rejected to approved.' },
    })
  })

  test('403: nobody approves what they asked for, whichever of their keys they take', async () => {
    const { approval, receipt } = await acme.held()
    const detail = 'You cannot approve an action that you requested. Ask another approver.'
    const own = [acme.live_key, await makeKey(acme), await makeKey(acme, { agent_id: 'agt_other' })]

    for (const key of own) {
      expect(await acme.approve(approval.id, {}, { key })).toMatchObject({ status: 403, body: { detail } })
    }
    expect((await acme.look(receipt.request_id)).status).toBe('pending_approval')
  })

  test('200: but for a tenant of one person, who says so', async () => {
    await acme.change({ allow_self_approval: true })
    const { approval } = await acme.held()
    const { status, body } = await acme.approve(approval.id, {}, { key: acme.live_key })

    expect(status).toBe(200)
    expect(body.votes).toMatchObject([{ self: true }])
  })

  test('403: unless a policy asks for somebody else', async () => {
    await acme.change({ allow_self_approval: true })
    const approval = { stages: [{ groups: ['any'] }], allow_self: false }
    await acme.policy({ name: 'second pair of eyes', effect: 'require_approval', approval })
    const held = await acme.held()

    expect(await acme.approve(held.approval.id, {}, { key: acme.live_key })).toMatchObject({ status: 403 })
    expect(await acme.approve(held.approval.id)).toMatchObject({ status: 200 })
  })

  test('403: where a person must decide, no key does', async () => {
    await acme.change({ require_human_approver: true })
    const { approval } = await acme.held()
    const code = 'person_required'

    expect(await acme.approve(approval.id)).toMatchObject({ status: 403, body: { code } })
    expect(await acme.reject(approval.id)).toMatchObject({ status: 403, body: { code } })
  })

  test('403: a key without the scope', async () => {
    const { approval } = await acme.held()
    const key = await makeKey(acme, { scopes: ['governance:read', 'agent:execute'], created_by: 'usr_second' })

    expect(await acme.approve(approval.id, {}, { key })).toMatchObject({
      status: 403,
      body: { detail: 'You need the permission approvals:decide (scope governance:write).' },
    })
  })

  test('409: another action than the one that was seen', async () => {
    const { approval } = await acme.held()
    const action_digest = `sha256:${'0'.repeat(64)}`

    expect(await acme.approve(approval.id, { action_digest })).toMatchObject({
      status: 409,
      body: { detail: 'The held action is not the one that you saw. Read the approval again.' },
    })
    expect((await acme.approval(approval.id)).status).toBe('pending')
  })

  test('422: no digest, an unknown field', async () => {
    const { approval } = await acme.held()

    expect(await acme.approve(approval.id, { action_digest: 'md5:0' })).toMatchObject({ status: 422 })
    expect(await acme.approve(approval.id, { payload: {} })).toMatchObject({ status: 422 })
  })

  test('404: another tenant’s request looks exactly like a missing one', async () => {
    const { approval } = await acme.held()
    const other = await governed(local)
    const foreign = await other.approve(approval.id)
    const missing = await other.approve('apr_01JD3Q8Z5N0A2C4E6G8J0M2P4R')

    expect(foreign).toMatchObject({ status: 404, body: { detail: 'approval not found' } })
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
    expect((await acme.approval(approval.id)).status).toBe('pending')
  })
})

describe('the end of an approval’s time', () => {
  test('200: it can be decided in its last millisecond', async () => {
    const { approval } = await acme.held()
    clock.moveTo(Date.parse(approval.expires_at) - 1)
    await local.sweep()

    expect(await acme.approve(approval.id)).toMatchObject({ status: 200 })
  })

  test.each(['before', 'after'])('409: and not in the next, %s the sweeper came', async (when) => {
    const { approval, receipt } = await acme.held('delete_deal')
    clock.moveTo(Date.parse(approval.expires_at))
    if (when === 'after') await local.sweep()

    expect(await acme.approve(approval.id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('expired') },
    })
    expect(await acme.reject(approval.id)).toMatchObject({ status: 409 })
    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'expired' })
    expect((await acme.look(receipt.request_id)).evidence).toHaveLength(2)
    expect(await acme.approval(approval.id)).toMatchObject({ status: 'expired', method: 'expired' })
    await local.sweep()
    expect(target.calls).toEqual([])
  })
})
