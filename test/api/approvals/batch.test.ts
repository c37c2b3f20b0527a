// Several votes in one request: each stands alone, and nobody approves in passing what cannot be taken back.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { approvals as storedApprovals } from '../../../shared/govern/approvals/approval.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())
beforeEach(async () => {
  target.calls.length = 0
  acme = await governed(local, [
    { action_id: 'update_note', approval_required: true },
    { action_id: 'update_contact', approval_required: true, target: { type: 'http', url: target.url } },
    { action_id: 'delete_note' },
  ])
})

const decide = (body: object, by: object = {}) => acme.call(approvals.batch, { key: acme.approver_key, ...by, body })
const heldId = async (action_id = 'update_note'): Promise<string> => (await acme.held(action_id)).approval.id
const several = (count: number, action_id?: string) =>
  Promise.all(Array.from({ length: count }, () => heldId(action_id)))

describe('POST /api/v1/work/approvals/batch', () => {
  test('200: each is approved by a vote of its own, with its own evidence, and the answers keep the order', async () => {
    const ids = await several(6)
    const reply = await decide({ decision: 'approve', ids, reason: 'all checked' })

    expect(reply).toMatchObject({
      status: 200,
      body: { results: ids.map((id) => ({ id, http_status: 200, status: 'approved' })) },
    })
    await local.drain()
    for (const id of ids) {
      const { status, reason, evidence_status } = await acme.approval(id)
      expect({ status, reason, evidence_status }).toEqual({
        status: 'approved',
        reason: 'all checked',
        evidence_status: 'verified',
      })
    }
  })

  test('200: the same again changes nothing', async () => {
    const ids = await several(2)
    const first = await decide({ decision: 'reject', ids, reason: 'not now' })
    const events = await acme.told(async () => {
      expect(await decide({ decision: 'reject', ids, reason: 'not now' })).toMatchObject({
        status: 200,
        body: first.body,
      })
    })

    expect(events).toEqual([])
  })

  test('foreign, missing, own and decided ones are refused by themselves, and the rest is decided', async () => {
    const key = await makeKey(acme, { scopes: ['agent:execute', 'governance:write'], created_by: 'usr_anna' })
    const other = await governed(local, [{ action_id: 'delete_note' }])
    const foreign = (await other.held('delete_note')).approval.id
    const [decided, open] = [await heldId(), await heldId()]
    await acme.reject(decided)
    const mine = (await acme.held('update_note', {}, { key })).approval.id
    const items = [foreign, 'apr_missing', mine, decided, open].map((id) => ({ id }))
    const { status, body } = await decide({ decision: 'approve', items }, { key })

    expect(status).toBe(200)
    expect(body.results.map((result: { http_status: number }) => result.http_status)).toEqual([404, 404, 403, 409, 200])
    expect(body.results[0]).toEqual({ id: foreign, http_status: 404, code: 'not_found', detail: 'approval not found' })
    expect(await other.approval(foreign)).toMatchObject({ status: 'pending' })
    expect(await acme.approval(mine)).toMatchObject({ status: 'pending' })
  })

  test('409 decide_singly: what deletes is rejected in a batch and never approved', async () => {
    const id = await heldId('delete_note')
    expect((await decide({ decision: 'approve', ids: [id] })).body.results).toMatchObject([
      { http_status: 409, code: 'decide_singly' },
    ])
    expect(await acme.approval(id)).toMatchObject({ status: 'pending', votes: [] })

    expect((await decide({ decision: 'reject', ids: [id] })).body.results).toMatchObject([
      { http_status: 200, status: 'rejected' },
    ])
  })

  test('409 decide_singly: a risk of 85, whatever the kind', async () => {
    const id = await heldId()
    const { table, space } = acme.ctx
    const stored = await table.get(storedApprovals, { ...space, id })
    if (!stored) throw new Error('the approval is gone')
    await table.commit([storedApprovals.replace({ ...stored, risk: 85 }, stored)])

    expect((await decide({ decision: 'approve', ids: [id] })).body.results).toMatchObject([
      { http_status: 409, code: 'decide_singly' },
    ])
  })

  test('409 decide_singly: what the chain says that it deletes, though its row says otherwise', async () => {
    const id = await heldId('delete_note')
    const { table, space } = acme.ctx
    const stored = await table.get(storedApprovals, { ...space, id })
    if (!stored) throw new Error('the approval is gone')
    await table.commit([storedApprovals.replace({ ...stored, kind: 'update', risk: 1 }, stored)])

    expect((await decide({ decision: 'approve', ids: [id] })).body.results).toMatchObject([
      { http_status: 409, code: 'decide_singly' },
    ])
  })

  test('409: an item whose digest is not the one that was seen', async () => {
    const [first, second] = [await heldId(), await heldId()]
    const { action_digest } = await acme.approval(first)
    const items = [first, second].map((id) => ({ id, action_digest }))

    expect((await decide({ decision: 'approve', items })).body.results).toMatchObject([
      { http_status: 200 },
      { http_status: 409, code: 'conflict' },
    ])
  })

  test('503 busy: what would begin after 25 seconds waits for another request', async () => {
    const ids = await several(6, 'update_contact')
    target.next(
      ...ids.slice(0, 4).map(() => (response: { writeHead: (status: number) => { end: () => unknown } }) => {
        local.clock.moveTo(local.clock.now() + 26_000)
        return response.writeHead(200).end()
      }),
    )
    const { results } = (await decide({ decision: 'approve', ids })).body

    expect(results.slice(4)).toMatchObject(ids.slice(4).map((id) => ({ id, http_status: 503, code: 'busy' })))
    for (const id of ids.slice(4)) expect(await acme.approval(id)).toMatchObject({ status: 'pending', votes: [] })
    expect((await decide({ decision: 'approve', ids: ids.slice(4) })).body.results).toMatchObject([
      { status: 'approved' },
      { status: 'approved' },
    ])
  })

  test('422: none, more than fifty, one twice, both lists, and no list', async () => {
    const many = Array.from({ length: 51 }, (_, index) => `apr_${index}`)
    for (const body of [
      { ids: [] },
      { ids: many },
      { ids: ['apr_1', 'apr_1'] },
      { ids: ['apr_1'], items: [{ id: 'apr_2' }] },
      {},
    ])
      expect(await decide({ decision: 'reject', ...body })).toMatchObject({ status: 422 })
  })

  test('403: a key that may not decide', async () => {
    const key = await makeKey(acme, { scopes: ['governance:read'] })

    expect(await decide({ decision: 'reject', ids: [await heldId()] }, { key })).toMatchObject({ status: 403 })
  })
})
