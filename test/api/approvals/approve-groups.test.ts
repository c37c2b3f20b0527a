import { beforeAll, expect, test } from 'vitest'
import { castVote } from '../../../shared/govern/approvals/cast-vote.ts'
import { loadVoteInputs } from '../../../shared/govern/approvals/inputs.ts'
import { listApprovals } from '../../../shared/govern/approvals/list.ts'
import { type Governed, governed, requestOf } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { directory } from '../scim/directory.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

/** Votes as a signed-in person. */
async function voteAs(id: string, person: string, roles: string[]): Promise<string> {
  const ctx = requestOf(acme, person, roles)
  const inputs = await loadVoteInputs(ctx.table, ctx.space, { params: { id } })
  return castVote(ctx, inputs, { decision: 'approve' }).then(
    ({ approval }) => approval.status,
    (error: Error) => error.message,
  )
}

test('200: members of a group of the directory decide, as long as they are in it', async () => {
  const { user, group, patchGroup } = await directory(local, 'live', acme)
  const [anna, ben] = [await user({ userName: 'anna@example.com' }), await user({ userName: 'ben@example.com' })]
  const staff = await group({ displayName: 'Staff', members: [{ value: anna.id }, { value: ben.id }] })
  await acme.policy({
    name: 'staff',
    effect: 'require_approval',
    approval: { stages: [{ groups: [`group:${staff.id}`] }] },
  })
  const [first, second] = [await acme.held(), await acme.held()]
  const mine = (person: string) => {
    const query = { assignee: 'me', status: 'pending', sort: 'requested_at' } as const
    return listApprovals(requestOf(acme, person, ['approver']), query).then(({ total }) => total)
  }

  expect(await mine(anna.id)).toBe(2)
  expect(await voteAs(first.approval.id, 'usr_cleo', ['approver'])).toBe(
    'You are not among the approvers of this stage. Ask one of them.',
  )
  expect(await acme.approve(first.approval.id)).toMatchObject({ status: 403 }) // a key belongs to none
  expect(await voteAs(first.approval.id, anna.id, ['approver'])).toBe('approved')
  const gone = { op: 'remove', path: `members[value eq "${ben.id}"]` }
  await patchGroup(staff.id, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [gone] })
  expect(await voteAs(second.approval.id, ben.id, ['approver'])).toBe(
    'You are not among the approvers of this stage. Ask one of them.',
  )
  expect(await mine(ben.id)).toBe(0)
  expect(await voteAs(second.approval.id, anna.id, ['approver'])).toBe('approved')
})
