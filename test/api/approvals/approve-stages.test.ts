import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { castVote } from '../../../shared/govern/approvals/votes/vote.ts'
import { loadVoteInputs } from '../../../shared/govern/approvals/inputs.ts'
import { bodyOf, type Governed, governed, requestOf } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { accountIn } from '../../support/person.ts'
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
  acme = await governed(local, [{ action_id: 'delete_contact', target: { type: 'http', url: target.url } }])
})

/** The key of a person, made when first asked for. */
const made = new Map<string, Promise<string>>()
function keyOf(person: string, id = `key_${person}`): Promise<string> {
  const name = `${acme.tenant_id} ${id}`
  const key = made.get(name) ?? makeKey(acme, { id, created_by: `usr_${person}` })
  made.set(name, key)
  return key
}
const requires = (name: string, approval: object, more: object = {}) =>
  acme.policy({ name, effect: 'require_approval', approval, ...more })
const vote = async (id: string, person: string) => {
  const { status, body } = await acme.approve(id, {}, { key: await keyOf(person) })
  return `${status} ${body.status ?? body.detail}`
}

/** Votes as a signed-in person. */
async function voteAs(id: string, person: string, roles: string[]): Promise<string> {
  const ctx = requestOf(acme, person, roles)
  const inputs = await loadVoteInputs(ctx.table, ctx.space, { params: { id } })
  const voted = castVote(ctx, inputs, { decision: 'approve' })
  return voted.then(
    ({ approval }) => approval.status,
    (error: Error) => error.message,
  )
}

describe('a quorum', () => {
  test('200: so many different people; a second vote of one of them is none', async () => {
    await requires('two', { stages: [{ groups: ['any'], min_approvals: 2 }] })
    const { approval, receipt } = await acme.held()

    expect(await vote(approval.id, 'anna')).toBe('200 pending')
    const second = await makeKey(acme, { created_by: 'usr_anna' })
    expect(await acme.approve(approval.id, {}, { key: second })).toMatchObject({
      status: 200,
      body: { status: 'pending' },
    })
    expect((await acme.approval(approval.id)).votes).toHaveLength(1)
    expect(target.calls).toEqual([])
    expect(await vote(approval.id, 'ben')).toBe('200 approved')
    expect(target.calls).toHaveLength(1)
    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'executed' })
  })

  test('200: a repeat of an early vote gets its own answer, not what became of the request since', async () => {
    await requires('two', { stages: [{ groups: ['any'], min_approvals: 2 }] })
    const { approval } = await acme.held()
    const early = { key: await keyOf('anna'), headers: { 'idempotency-key': 'early' } }
    const first = await acme.approve(approval.id, {}, early)
    await vote(approval.id, 'ben')

    expect(await acme.approve(approval.id, {}, early)).toMatchObject({
      status: 200,
      body: first.body,
      headers: { 'idempotent-replayed': 'true' },
    })
    expect(first.body.status).toBe('pending')
  })

  test('200: a rejection ends it, however many have approved', async () => {
    await requires('three', { stages: [{ groups: ['any'], min_approvals: 3 }] })
    const { approval, receipt } = await acme.held()
    await vote(approval.id, 'anna')
    await vote(approval.id, 'ben')

    expect(await acme.reject(approval.id, { reason: 'no' })).toMatchObject({
      status: 200,
      body: { status: 'rejected' },
    })
    expect(await vote(approval.id, 'cleo')).toBe('409 You cannot change the status from rejected to approved.')
    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'rejected' })
  })

  test('403: who has approved cannot reject as well', async () => {
    await requires('two', { stages: [{ groups: ['any'], min_approvals: 2 }] })
    const { approval } = await acme.held()
    await acme.approve(approval.id)

    expect(await acme.reject(approval.id)).toMatchObject({
      status: 403,
      body: { detail: 'You have already voted on this approval. It waits for other approvers.' },
    })
  })

  test('200: at once, 10 people of a quorum of 5 make one effect', async () => {
    await requires('five', { stages: [{ groups: ['any'], min_approvals: 5 }] })
    const { approval } = await acme.held()
    const people = Array.from({ length: 10 }, (_, n) => `p${n}`)
    const keys = await Promise.all(people.map((person) => keyOf(person)))
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(keys.map((key) => acme.approve(approval.id, {}, { key })))
    }

    expect((await acme.approval(approval.id)).votes).toHaveLength(5)
    expect(target.calls).toHaveLength(1)
  })

  test('200: is as long as what all fired policies ask together, with the shortest time', async () => {
    await requires('one', { stages: [{ groups: ['any'], min_approvals: 2 }], expires_in_s: 600 }, { priority: 1 })
    await requires('two', {
      stages: [{ groups: ['role:admin'] }, { groups: ['any'], min_approvals: 3 }],
      expires_in_s: 60,
    })
    const { approval } = await acme.held()

    expect(approval.stages).toEqual([
      { groups: ['role:admin'], min_approvals: 1 },
      { groups: ['any'], min_approvals: 3 },
    ])
    const { requested_at, expires_at } = await acme.approval(approval.id)
    expect(Date.parse(expires_at) - Date.parse(requested_at)).toBe(60_000)
  })
})

describe('stages', () => {
  test('200: run in order, each by its own groups', async () => {
    await keyOf('anna')
    await keyOf('ben')
    await requires('staged', { stages: [{ groups: ['key:key_anna'] }, { groups: ['key:key_ben'] }] })
    const { approval } = await acme.held()
    const key = await keyOf('ben', 'key_other')

    expect(await vote(approval.id, 'ben')).toBe('403 You are not among the approvers of this stage. Ask one of them.')
    expect(await vote(approval.id, 'anna')).toBe('200 pending')
    expect(await acme.approval(approval.id)).toMatchObject({
      stage: 1,
      stages: [{ status: 'done' }, { status: 'open' }],
    })
    expect(await acme.approve(approval.id, {}, { key })).toMatchObject({ status: 403 })
    expect(await vote(approval.id, 'anna')).toBe('200 pending') // the same vote again
    expect(await vote(approval.id, 'ben')).toBe('200 approved')
    expect(target.calls).toHaveLength(1)
  })

  test('200: each of several groups', async () => {
    await requires('each', { stages: [{ groups: ['role:admin', 'role:approver'], mode: 'each' }] })
    const { approval } = await acme.held()
    for (const id of ['usr_anna', 'usr_ben']) await accountIn(acme.ctx.space, ['admin'], { id })
    await accountIn(acme.ctx.space, ['approver'], { id: 'usr_dan' })

    expect(await voteAs(approval.id, 'usr_anna', ['admin'])).toBe('pending')
    expect(await voteAs(approval.id, 'usr_ben', ['admin'])).toBe('pending')
    expect(await voteAs(approval.id, 'usr_cleo', ['member'])).toBe(
      'You are not among the approvers of this stage. Ask one of them.',
    )
    expect(await voteAs(approval.id, 'usr_dan', ['approver'])).toBe('approved')
  })

  test('403: a role is a person’s, not a key’s', async () => {
    await requires('people', { stages: [{ groups: ['role:approver', `user:${acme.approver.id}`] }] })
    const { approval } = await acme.held()

    expect(await acme.approve(approval.id)).toMatchObject({ status: 403 })
    expect(await voteAs(approval.id, acme.approver.id, [])).toBe('approved')
  })
})

describe('escalation', () => {
  const escalating = (stages: object[]) =>
    requires('urgent', { stages, escalate_after_s: 60, escalate_to: ['key:key_boss'], expires_in_s: 600 })
  const pass = async (seconds: number) => {
    local.clock.moveTo(local.clock.now() + seconds * 1_000)
    await local.sweep()
  }

  test('asks more people, once, and counts their votes', async () => {
    await keyOf('boss')
    await escalating([{ groups: ['role:approver'] }])
    const { approval, receipt } = await acme.held()
    expect(await vote(approval.id, 'boss')).toBe('403 You are not among the approvers of this stage. Ask one of them.')
    const early = await acme.told(() => pass(50))
    const due = await acme.told(() => pass(11))
    const later = await acme.told(() => pass(60))

    expect(early).toEqual([])
    expect(due.map(({ type }) => type)).toEqual(['evidence.emitted', 'protocol.approval.requested'])
    expect(due.at(-1)?.data).toMatchObject({ approval_id: approval.id, escalated: true })
    expect(later).toEqual([])
    expect(await acme.approval(approval.id)).toMatchObject({
      stages: [{ groups: ['role:approver', 'key:key_boss'] }],
      escalated_to: ['key:key_boss'],
    })
    const { evidence } = await acme.look(receipt.request_id)
    expect(evidence.map(({ type }: { type: string }) => type)).toEqual(['action.requested', 'approval.escalated'])
    expect(await vote(approval.id, 'boss')).toBe('200 approved')
  })

  test('widens who is asked, never who asked', async () => {
    await makeKey(acme, { id: 'key_boss' })
    await escalating([{ groups: ['role:approver'] }])
    const { approval } = await acme.held()
    await pass(61)
    const key = await makeKey(acme)

    expect(await acme.approve(approval.id, {}, { key })).toMatchObject({
      status: 403,
      body: { detail: 'You cannot approve an action that you requested. Ask another approver.' },
    })
  })

  test('does not outlive the approval', async () => {
    await keyOf('boss')
    await escalating([{ groups: ['any'] }])
    const { approval } = await acme.held()
    bodyOf(await acme.reject(approval.id), 200)

    expect(await acme.told(() => pass(61))).toEqual([])
  })

  test('is followed by the expiry', async () => {
    await keyOf('boss')
    await escalating([{ groups: ['role:approver'] }])
    const { approval } = await acme.held()
    await pass(61)
    await pass(540)

    expect(await acme.approval(approval.id)).toMatchObject({ status: 'expired' })
  })
})
