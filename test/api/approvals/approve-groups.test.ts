import { beforeEach, expect, test } from 'vitest'
import { users } from '../../../functions/users/routes.ts'
import { castVote } from '../../../shared/govern/approvals/votes/vote.ts'
import { loadVoteInputs } from '../../../shared/govern/approvals/inputs.ts'
import { listApprovals } from '../../../shared/govern/approvals/views/list.ts'
import { CreateDelegationBody, createDelegation } from '../../../shared/govern/delegations/create.ts'
import { bodyOf, type Governed, governed, requestOf } from '../../support/governed.ts'
import { ownerInPerson } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { directory, prove } from '../scim/directory.ts'

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
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

test('200: a delegate decides for a member of the group, as long as that person is in it', async () => {
  const { user, group, patchGroup } = await directory(local, 'live', acme)
  const owner = await ownerInPerson(local, acme)
  const approver = async (userName: string): Promise<string> => {
    const { id } = await user({ userName })
    await prove(local, userName)
    bodyOf(await owner.call(users.setRoles, { params: { id }, body: { roles: ['approver'] } }), 200)
    return id
  }
  const [dora, emil, fay] = [
    await approver('d@example.com'),
    await approver('e@example.com'),
    await approver('f@example.com'),
  ]
  const members = [dora, emil].map((value) => ({ value }))
  const { id } = await group({ displayName: 'Leads', members })
  const stages = [{ groups: [`group:${id}`], min_approvals: 2 }]
  await acme.policy({
    name: 'leads',
    effect: 'require_approval',
    scope: { action_kinds: ['update'] },
    approval: { stages },
  })
  const until = new Date(local.clock.now() + 3_600_000).toISOString()
  const made = await createDelegation(
    requestOf(acme, dora, ['approver'], { mfa_at: local.clock.now() }),
    CreateDelegationBody.parse({ to_user_id: fay, until }),
  )
  const { approval } = await acme.held('update_contact')

  expect(await voteAs(approval.id, fay, ['approver'])).toBe('pending')
  expect((await acme.approval(approval.id)).votes).toMatchObject([
    { by: { id: fay }, on_behalf_of: dora, delegation_id: made.id },
  ])
  const gone = { op: 'remove', path: `members[value eq "${dora}"]` }
  await patchGroup(id, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [gone] })
  expect(await voteAs(approval.id, emil, ['approver'])).toBe('pending')
  expect((await acme.approval(approval.id)).votes).toMatchObject([{ lapsed: true }, {}])
})
