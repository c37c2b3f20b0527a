// Who may approve a held action can give it more time, three times at most and never beyond seven days.
import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { approvals as storedApprovals } from '../../../shared/govern/approvals/approval.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
})

const DAY_S = 86_400
const extend = (id: string, seconds: number, by: object = {}) =>
  acme.call(approvals.extend, { key: acme.approver_key, ...by, params: { id }, body: { seconds } })
const after = (at: string, seconds: number) => new Date(Date.parse(at) + seconds * 1_000).toISOString()

describe('POST /api/v1/work/approvals/{id}/extend', () => {
  test('200: it expires later, with evidence; its SLA stays, and its first answer is repeated as it was', async () => {
    const payload = { contact: 'con_1' }
    const once = { headers: { 'idempotency-key': 'ask-once' } }
    const first = await acme.held('delete_contact', { payload }, once)
    const { id, expires_at } = first.approval
    const before = await acme.approval(id)
    let reply
    const events = await acme.told(async () => {
      reply = await extend(id, 3_600)
    })

    const later = after(expires_at, 3_600)
    expect(reply).toMatchObject({ status: 200, body: { id, status: 'pending', expires_at: later, extensions: 1 } })
    expect(events.map(({ type }) => type)).toEqual(['evidence.emitted'])
    const now = await acme.approval(id)
    expect(now).toMatchObject({ expires_at: later, evidence_status: 'verified' })
    expect(now.sla.resolution_due_at).toBe(before.sla.resolution_due_at)
    const execution = await acme.look(first.receipt.request_id)
    expect(execution).toMatchObject({ approval: { id, expires_at: later } })
    expect(execution).not.toHaveProperty('contradicted')
    expect(execution.evidence.map(({ type }: { type: string }) => type)).toEqual([
      'action.requested',
      'approval.extended',
    ])
    expect((await acme.held('delete_contact', { payload }, once)).approval).toEqual(first.approval)
  })

  test('after the old expiry it can still be approved, after the new one not', async () => {
    const [kept, lost] = [(await acme.held()).approval, (await acme.held()).approval]
    for (const { id } of [kept, lost]) bodyOf(await extend(id, 3_600), 200)
    local.clock.moveTo(Date.parse(kept.expires_at) + 60_000)
    await local.sweep()
    expect(await acme.approve(kept.id)).toMatchObject({ status: 200, body: { status: 'approved' } })

    local.clock.moveTo(Date.parse(lost.expires_at) + 3_600_000)
    expect(await extend(lost.id, 3_600)).toMatchObject({
      status: 409,
      body: { detail: 'This approval has expired. Request the action again.' },
    })
    await local.drain()
    expect(await acme.approval(lost.id)).toMatchObject({ status: 'expired', evidence_status: 'verified' })
  })

  test('200: by somebody who has voted and waits for the others', async () => {
    const approval = { stages: [{ groups: ['any'], min_approvals: 2 }] }
    await acme.policy({ name: 'two', effect: 'require_approval', scope: { node_ids: [NODE_ID] }, approval })
    const { id } = (await acme.held()).approval
    bodyOf(await acme.approve(id), 200)

    expect(await extend(id, 60)).toMatchObject({ status: 200, body: { status: 'pending', extensions: 1 } })
  })

  test('409: beyond seven days after the request nothing is gained', async () => {
    const { id } = (await acme.held()).approval
    const { requested_at } = await acme.approval(id)

    expect(await extend(id, 7 * DAY_S)).toMatchObject({
      status: 200,
      body: { expires_at: after(requested_at, 7 * DAY_S) },
    })
    expect(await extend(id, 60)).toMatchObject({ status: 409 })
  })

  test('409: the fourth time, and once it is decided', async () => {
    const { id } = (await acme.held()).approval
    for (const extensions of [1, 2, 3]) {
      expect(await extend(id, 60)).toMatchObject({ status: 200, body: { extensions } })
    }
    expect(await extend(id, 60)).toMatchObject({
      status: 409,
      body: { detail: 'This approval was already extended 3 times.' },
    })

    const rejected = (await acme.held()).approval
    await acme.reject(rejected.id)
    expect(await extend(rejected.id, 60)).toMatchObject({ status: 409 })
  })

  test('200: a repeat with the same Idempotency-Key extends once', async () => {
    const { id } = (await acme.held()).approval
    const once = { headers: { 'idempotency-key': 'more-time' } }
    const first = await extend(id, 60, once)

    expect(await extend(id, 60, once)).toMatchObject({ status: 200, body: { expires_at: first.body.expires_at } })
    expect(await acme.approval(id)).toMatchObject({ extensions: 1 })
  })

  test('403: its requester, who is not among its approvers, and a key that may not decide', async () => {
    const { id } = (await acme.held()).approval
    const owner = await signIn(local, acme.owner)
    expect(await extend(id, 60, { key: owner.access_token })).toMatchObject({
      status: 403,
      body: { detail: 'You cannot extend the approval of an action that you requested.' },
    })
    const reader = await makeKey(acme, { scopes: ['governance:read'] })
    expect(await extend(id, 60, { key: reader })).toMatchObject({ status: 403 })

    await acme.policy({
      name: 'owners decide',
      effect: 'require_approval',
      scope: { node_ids: [NODE_ID] },
      approval: { stages: [{ groups: ['role:owner'] }] },
    })
    expect(await extend((await acme.held()).approval.id, 60)).toMatchObject({
      status: 403,
      body: { detail: 'You are not among the approvers of this stage. Ask one of them.' },
    })
  })

  test('404: for another tenant, and in the other mode', async () => {
    const { id } = (await acme.held()).approval
    const other = await local.tenant()

    for (const key of [other.live_key, acme.test_key])
      expect(await extend(id, 60, { key })).toMatchObject({ status: 404 })
  })

  test('422: less than a minute, more than a week, and parts of a second', async () => {
    const { id } = (await acme.held()).approval

    for (const seconds of [59, 604_801, 60.5]) expect(await extend(id, seconds)).toMatchObject({ status: 422 })
  })

  test('a longer time that somebody wrote to the table after an extension contradicts its evidence', async () => {
    const { id } = (await acme.held()).approval
    bodyOf(await extend(id, 60), 200)
    await local.drain()
    const { table, space } = acme.ctx
    const stored = await table.get(storedApprovals, { ...space, id })
    if (!stored) throw new Error('the approval is gone')
    await table.commit([storedApprovals.replace({ ...stored, expires_at: after(stored.expires_at, DAY_S) }, stored)])

    expect(await acme.approval(id)).toMatchObject({ evidence_status: 'differs', contradicted: ['state'] })
  })
})
