// The votes of delegates: with the groups of who is away, as long as both may decide, and once for both.
import { DAY_MS } from '../../../shared/base/lib/clock.ts'
import { beforeEach, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { type Away, away, inNameOf } from '../../support/away.ts'
import { bodyOf, executeFor, requestOf } from '../../support/governed.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let at: Away
beforeEach(async () => {
  at = await away(local)
})

test('the vote of a delegate counts with the groups of who is away, and names them in vote and evidence', async () => {
  const { acme, ada, ben, asksApprovers, approve, headerOf, delegate } = at
  await asksApprovers()
  const { approval, receipt } = await acme.held()
  expect((await approve(approval.id, ben)).status).toBe(403)
  const { id } = await delegate(ada, ben)

  const voted = bodyOf(await approve(approval.id, ben), 200)

  expect(voted).toMatchObject({
    status: 'approved',
    decided_by: { id: ben.user_id },
    votes: [{ by: { id: ben.user_id }, on_behalf_of: ada.user_id, delegation_id: id }],
    execution: { status: 'executed' },
  })
  const { evidence: references } = await acme.look(receipt.request_id)
  const { artifact_id } = references.find(({ type }: { type: string }) => type === 'approval.approved')
  expect((await headerOf(artifact_id)).approval.approvers).toEqual([{ id: ben.user_id, on_behalf_of: ada.user_id }])
  await local.drain()
  expect(await acme.approval(approval.id)).toMatchObject({ evidence_status: 'verified', votes: [{}] })
})

test('a delegate is told of what is overdue like the giver, while the delegation lasts and for its nodes', async () => {
  const { person, ada, ben, asksApprovers, asked, delegate } = at
  await asksApprovers()
  const cleo = await person('admin')
  await delegate(ada, ben)
  await delegate(ada, cleo, { node_ids: ['agent.command.runner'] })
  await asked()
  await local.advance(31 * 60_000)
  await local.sweep()
  const told = async (email: string) => (await mailsTo(local, email)).filter(({ kind }) => kind === 'sla_missed').length

  expect([await told(ada.email), await told(ben.email), await told(cleo.email)]).toEqual([1, 1, 0])
})

test('the vote of a delegate is their own where they may vote, unless they say otherwise', async () => {
  const { ada, ben, asked, approve, delegate } = at
  await delegate(ada, ben)
  const [own, theirs] = [await asked(), await asked()]
  expect(bodyOf(await approve(own, ben), 200).votes[0]).not.toHaveProperty('on_behalf_of')
  expect(bodyOf(await approve(theirs, ben, inNameOf(ada)), 200).votes[0]).toMatchObject(inNameOf(ada))
})

test('the vote of a delegate names whom it is for where several have delegated', async () => {
  const { person, ada, ben, asksApprovers, asked, approve, delegate } = at
  await asksApprovers()
  const cleo = await person('approver')
  await delegate(ada, ben)
  await delegate(cleo, ben)
  const id = await asked()
  const unclear = await approve(id, ben)
  expect(unclear.status).toBe(422)
  expect(JSON.stringify(unclear.body.detail)).toContain(ada.user_id)
  expect(bodyOf(await approve(id, ben, inNameOf(cleo)), 200).votes).toMatchObject([inNameOf(cleo)])
})

test('the vote of a delegate is one for both, whoever of them votes first, also with a quorum of two', async () => {
  const { ada, ben, asks, asked, approve, delegate } = at
  await asks({ groups: ['any'], min_approvals: 2 })
  await delegate(ada, ben)
  const [first, second] = [await asked(), await asked()]

  expect(bodyOf(await approve(first, ben, inNameOf(ada)), 200).status).toBe('pending')
  expect((await approve(first, ada)).status).toBe(403)
  expect(bodyOf(await approve(first, ben), 200).votes).toHaveLength(1) // a repeat
  expect((await approve(first, ada)).body.detail).toContain('voted in your name')

  expect(bodyOf(await approve(second, ada), 200).status).toBe('pending')
  expect((await approve(second, ben, inNameOf(ada))).status).toBe(403)
  expect(bodyOf(await approve(second, ben), 200).status).toBe('approved') // his own
})

test('the vote of a delegate is one for both in 20 races', async () => {
  const { acme, ada, ben, asks, asked, approve, delegate } = at
  await asks({ groups: ['role:approver'], min_approvals: 2 })
  await delegate(ada, ben)
  for (let n = 0; n < 20; n += 1) {
    const id = await asked()
    const replies = await Promise.all([approve(id, ada), approve(id, ben, inNameOf(ada))])
    expect(replies.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
    expect(await acme.approval(id)).toMatchObject({ status: 'pending', votes: [{ decision: 'approve' }] })
  }
})

test('the vote of a delegate is refused where one of the two requested the action, also to a delegate who may approve their own', async () => {
  const { acme, ada, ben, approve, delegate } = at
  await acme.change({ allow_self_approval: true })
  await delegate(ada, ben)
  for (const requester of [ada, ben]) {
    const held = await executeFor(requestOf(acme, requester.user_id), 'delete_contact')
    const id = held.execution.held?.id ?? ''
    expect((await approve(id, ben, inNameOf(ada))).body.detail).toContain('one of you requested')
    expect((await acme.reject(id, inNameOf(ada), { key: ben.access_token })).status).toBe(403)
  }
})

test('the vote of a delegate is for the nodes and the time of the delegation, and goes no further', async () => {
  const { person, ada, ben, asksApprovers, asked, approve, inDays, delegate, again } = at
  await asksApprovers()
  const cleo = await person('admin')
  await delegate(ada, ben, { until: inDays(1) })
  await delegate(ben, cleo, { until: inDays(1) })
  const id = await asked()
  expect((await approve(id, cleo)).status).toBe(403)
  expect((await approve(id, cleo, inNameOf(ada))).status).toBe(403)
  local.clock.moveTo(local.clock.now() + DAY_MS - 1_000)
  const late = await asked()
  local.clock.moveTo(local.clock.now() + 1_000)
  expect((await approve(late, await again(ben), inNameOf(ada))).status).toBe(403)
})

test('the vote of a delegate is not given by a key of theirs', async () => {
  const { acme, ada, ben, asked, delegate } = at
  const body = { name: 'k', kind: 'live', scopes: ['governance:read', 'governance:write'] }
  const { key } = bodyOf(await ben.call(keys.create, { body }), 201)
  await delegate(ada, ben)
  const reply = await acme.approve(await asked(), inNameOf(ada), { key })
  expect([reply.status, reply.body.detail]).toEqual([
    403,
    'Only a person who is signed in votes in the name of another.',
  ])
})

test('the vote of a delegate is found by assignee=me and given in a batch', async () => {
  const { acme, ada, ben, asks, delegate } = at
  await asks({ groups: ['role:approver'], min_approvals: 1 })
  const id = bodyOf(await acme.execute('update_contact'), 202).approval.id
  const mine = async () =>
    bodyOf(await ben.call(approvals.list, { query: { assignee: 'me' } }), 200).items.map(
      (one: { id: string }) => one.id,
    )
  expect(await mine()).toEqual([])
  await delegate(ada, ben)
  expect(await mine()).toEqual([id])
  const batch = { decision: 'approve', ids: [id], ...inNameOf(ada) }
  expect(bodyOf(await ben.call(approvals.batch, { body: batch }), 200).results).toMatchObject([{ status: 'approved' }])
})
