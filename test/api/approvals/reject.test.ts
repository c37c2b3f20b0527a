import { beforeAll, describe, expect, test } from 'vitest'
import { type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

describe('POST /api/v1/work/approvals/{id}/reject', () => {
  test('200: the held action never runs', async () => {
    const { approval, receipt } = await acme.held()
    const { status, body } = await acme.reject(approval.id, { reason: 'wrong contact' })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: approval.id,
      status: 'rejected',
      reason: 'wrong contact',
      method: 'api_key',
      votes: [{ decision: 'reject', reason: 'wrong contact' }],
      execution: { status: 'rejected', result: { status: 'rejected', message: 'Rejected.' }, receipt },
    })
    expect(body).not.toHaveProperty('consumed_at')
    expect(
      await acme.approve(approval.id, {}, { key: await makeKey(acme, { created_by: 'usr_second' }) }),
    ).toMatchObject({
      status: 409,
    })
  })

  test('200: one’s own request can be withdrawn, also by who is not among the approvers', async () => {
    const approval = { stages: [{ groups: ['role:approver'] }] }
    const tenant = await governed(local)
    await tenant.policy({ name: 'people', effect: 'require_approval', approval })
    const held = await tenant.held()

    expect(await tenant.reject(held.approval.id)).toMatchObject({ status: 403 })
    expect(await tenant.reject(held.approval.id, {}, { key: tenant.live_key })).toMatchObject({
      status: 200,
      body: { status: 'rejected', votes: [{ self: true }] },
    })
  })

  test('200: a key withdraws its own request also where only people decide', async () => {
    const tenant = await governed(local)
    await tenant.change({ require_human_approver: true })
    const { approval } = await tenant.held()

    expect(await tenant.reject(approval.id)).toMatchObject({
      status: 403,
      body: { code: 'person_required' },
    })
    expect(await tenant.reject(approval.id, {}, { key: tenant.live_key })).toMatchObject({ status: 200 })
  })

  test('200: the same vote again changes nothing', async () => {
    const { approval } = await acme.held()
    const first = await acme.reject(approval.id)
    const events = await acme.told(async () => {
      expect(await acme.reject(approval.id)).toMatchObject({ status: 200, body: first.body })
    })

    expect(events).toEqual([])
  })

  test('409: what was approved cannot be rejected', async () => {
    const { approval, receipt } = await acme.held()
    await acme.approve(approval.id)
    const key = await makeKey(acme, { created_by: 'usr_second' })

    expect(await acme.reject(approval.id, {}, { key })).toMatchObject({
      status: 409,
      body: { detail: 'You cannot change the status from approved to rejected.' },
    })
    expect((await acme.look(receipt.request_id)).status).toBe('executed')
  })

  test('200: needs no look at what has changed since', async () => {
    const tenant = await governed(local)
    const { approval } = await tenant.held()
    await tenant.register([{ action_id: 'get_contact' }], { version: '1.1.0' })

    expect(await tenant.reject(approval.id)).toMatchObject({ status: 200, body: { status: 'rejected' } })
  })

  test('200: a repeat with the same Idempotency-Key is told so', async () => {
    const { approval } = await acme.held()
    const headers = { 'idempotency-key': 'no-1' }
    const first = await acme.reject(approval.id, {}, { headers })

    expect(await acme.reject(approval.id, {}, { headers })).toMatchObject({
      status: 200,
      body: first.body,
      headers: { 'idempotent-replayed': 'true' },
    })
  })

  test('404: another tenant’s request looks exactly like a missing one', async () => {
    const { approval } = await acme.held()
    const other = await governed(local)
    const foreign = await other.reject(approval.id)
    const missing = await other.reject('apr_01JD3Q8Z5N0A2C4E6G8J0M2P4R')

    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
  })
})
