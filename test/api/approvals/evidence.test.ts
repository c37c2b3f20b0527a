import { afterAll, beforeAll, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
  acme = await governed(local, [{ action_id: 'delete_contact', target: { type: 'http', url: target.url } }])
})
afterAll(() => target.stop())

/** What the artifacts of an execution say, oldest first, from their own text alone. */
async function story(request_id: string) {
  const headers: Record<string, unknown>[] = []
  for (const { artifact_id } of (await acme.look(request_id)).evidence) {
    const { header } = bodyOf(await acme.call(evidence.get, { params: { id: artifact_id } }), 200)
    headers.push(JSON.parse(header))
  }
  return headers
}

test('decision, votes, approval and effect can be told again from the artifacts alone', async () => {
  const approval = { stages: [{ groups: ['any'], min_approvals: 2 }] }
  const { policy_id } = await acme.policy({ name: 'two', effect: 'require_approval', approval })
  const held = await acme.held('delete_contact', { decision_contract_id: 7 })
  await acme.approve(held.approval.id)
  const key = await makeKey(acme, { id: 'key_second', created_by: 'usr_second' })
  const { body } = await acme.approve(held.approval.id, {}, { key })
  const first = body.votes[0].by.id
  const action_digest = held.approval.action_digest.replace('sha256:', '')
  const [requested, voted, approved, started, executed] = await story(held.receipt.request_id)

  expect(requested).toMatchObject({
    type: 'action.requested',
    actor: { kind: 'api_key', id: body.requested_by.id },
    creator: acme.owner.id,
    decision_contract_id: 7,
    decision: { tier: 'HARD', kind: 'delete', strategy: 'manifest', risk: 85 },
    policy_evaluations: [{ policy_id, result: 'require_approval' }],
    policies_passed: 3,
    approval: { id: held.approval.id, action_digest, approvers: [] },
  })
  expect(voted).toMatchObject({
    type: 'approval.voted',
    actor: { id: first },
    creator: acme.approver.id,
    approval: { decision: 'approve', action_digest, approvers: [{ id: first }] },
  })
  expect(approved).toMatchObject({
    type: 'approval.approved',
    actor: { id: 'key_second' },
    creator: 'usr_second',
    approval: { decision: 'approve', method: 'api_key', approvers: [{ id: first }, { id: 'key_second' }] },
  })
  expect(started).toMatchObject({ type: 'execution.started', approval: { id: held.approval.id, action_digest } })
  expect(executed).toMatchObject({
    type: 'protocol.executed',
    outcome: 'succeeded',
    payload_commitment: requested?.payload_commitment,
    result_commitment: expect.stringMatching(/^[\da-f]{64}$/),
  })
})

test('so can who asked for what a policy forbade', async () => {
  const { policy_id } = await acme.policy({ name: 'never', effect: 'forbid' })
  const { body } = await acme.execute('delete_contact')

  expect(await story(body.receipt.request_id)).toMatchObject([
    { type: 'action.rejected', policy_evaluations: expect.arrayContaining([{ policy_id, result: 'forbid' }]) },
  ])
})

test('no artifact holds a word of a payload', async () => {
  const { body } = await acme.execute('delete_contact', { payload: { contact: 'con_secret' } })

  expect(JSON.stringify(await story(body.receipt.request_id))).not.toContain('con_secret')
})
