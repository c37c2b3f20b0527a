// A vote counts while its voter could still give it: who left, was suspended or lost the group before the deciding vote has
// decided nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { heldCommit } from '../../support/held-commit.ts'
import { knownForLong, type Person, personWith } from '../../support/people.ts'
import { type SignedIn, signIn } from '../../support/sign-in.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const { plugin, hold } = heldCommit()
const local = useLocalStack({ plugins: [plugin] })
let target: TestTarget
let acme: Governed
let owner: SignedIn
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())
beforeEach(async () => {
  target.calls.length = 0
  acme = await governed(local, [
    { action_id: 'delete_contact', target: { type: 'http', url: target.url } },
    { action_id: 'delete_note' },
  ])
  owner = await signIn(local, acme.owner)
})

const person = (...roles: string[]): Promise<Person> => personWith(local, owner, roles)
const requires = (...stages: object[]) =>
  acme.policy({ name: 'people', effect: 'require_approval', approval: { stages } })
const vote = async (id: string, { access_token: key }: SignedIn) => (await acme.approve(id, {}, { key })).body
const setRoles = async ({ user_id: id }: SignedIn, roles: string[]) =>
  bodyOf(await owner.call(users.setRoles, { params: { id }, body: { roles } }), 200)
const setStatus = async ({ user_id: id }: SignedIn, status: 'active' | 'suspended') =>
  bodyOf(await owner.call(users.update, { params: { id }, body: { status } }), 200)

/** What the evidence says of the approval. */
async function decisionOf({ request_id }: { request_id: string }) {
  const { evidence: references } = await acme.look(request_id)
  const { artifact_id } = references.find(({ type }: { type: string }) => type === 'approval.approved')
  return JSON.parse(bodyOf(await acme.call(evidence.get, { params: { id: artifact_id } }), 200).header)
}

describe('an earlier vote does not count any more', () => {
  const two = { groups: ['role:approver'], min_approvals: 2 }
  const endings: [string, (ada: Person) => Promise<unknown>][] = [
    ['is suspended', (ada) => setStatus(ada, 'suspended')],
    ['is removed', async ({ user_id: id }) => bodyOf(await owner.call(users.delete, { params: { id } }), 204)],
    ['lost the role that was asked', (ada) => setRoles(ada, ['admin'])],
    ['may no longer decide', (ada) => setRoles(ada, ['member'])],
  ]

  test.each(endings)('when its voter %s; the request waits for another one', async (_, end) => {
    await requires(two)
    const [ada, ben, cleo] = [await person('approver'), await person('approver'), await person('approver')]
    const { approval, receipt } = await acme.held()
    expect(await vote(approval.id, ada)).toMatchObject({ status: 'pending' })
    await end(ada)

    const { status, votes } = await vote(approval.id, ben)
    expect({ status, votes }).toMatchObject({
      status: 'pending',
      votes: [{ by: { id: ada.user_id }, lapsed: true }, { by: { id: ben.user_id } }],
    })
    expect(votes[1]).not.toHaveProperty('lapsed')
    expect(target.calls).toEqual([])

    expect(await vote(approval.id, cleo)).toMatchObject({ status: 'approved' })
    expect(target.calls).toHaveLength(1)
    const approvers = [{ id: ben.user_id }, { id: cleo.user_id }]
    expect(await decisionOf(receipt)).toMatchObject({ approval: { approvers }, data: { lapsed_votes: [ada.user_id] } })
  })

  test('when it was a key’s that was revoked', async () => {
    await requires({ groups: ['any'], min_approvals: 2 })
    const body = { name: 'Votes', kind: 'live', scopes: ['governance:read', 'governance:write'] }
    const ada = await person('admin')
    const { id, key } = bodyOf(await ada.call(keys.create, { body }), 201)
    const { approval } = await acme.held()
    expect((await acme.approve(approval.id, {}, { key })).body.status).toBe('pending')
    bodyOf(await ada.call(keys.revoke, { params: { id } }), 200)

    expect(await vote(approval.id, await person('approver'))).toMatchObject({
      status: 'pending',
      votes: [{ lapsed: true }, {}],
    })
    expect(await vote(approval.id, ada)).toMatchObject({ status: 'approved' }) // the person may give it again
  })

  test('so a stage that was complete is asked again, before the one that is not', async () => {
    await requires({ groups: ['role:approver'] }, { groups: ['role:admin'] })
    const [ada, ben, cleo] = [await person('approver'), await person('admin'), await person('approver')]
    const { approval } = await acme.held()
    expect(await vote(approval.id, ada)).toMatchObject({ status: 'pending', stage: 1 })
    await setStatus(ada, 'suspended')

    expect(await vote(approval.id, ben)).toMatchObject({
      status: 'pending',
      stage: 0,
      stages: [{ status: 'open' }, { status: 'waiting' }],
    })
    expect(await vote(approval.id, cleo)).toMatchObject({ status: 'approved', decided_by: { id: cleo.user_id } })
    expect(target.calls).toHaveLength(1)
  })

  test('unless they are back by then', async () => {
    await requires(two)
    const [ada, ben] = [await person('approver'), await person('approver')]
    const { approval } = await acme.held()
    await vote(approval.id, ada)
    await setStatus(ada, 'suspended')
    await setStatus(ada, 'active')
    await knownForLong(ada.user_id)

    expect(await vote(approval.id, ben)).toMatchObject({ status: 'approved' })
  })
})

test.each(['delete_contact', 'delete_note'])(
  'a voter of %s who is suspended between the reads of the deciding vote and its commit does not count either',
  async (action_id) => {
    await requires({ groups: ['any'], min_approvals: 2 })
    const [ada, ben] = [await person('approver'), await person('approver')]
    const { approval } = await acme.held(action_id)
    await vote(approval.id, ada)

    const arrived = hold(approval.id)
    const deciding = vote(approval.id, ben)
    const letGo = await arrived
    await setStatus(ada, 'suspended')
    letGo()

    expect(await deciding).toMatchObject({ status: 'pending', votes: [{ lapsed: true }, {}] })
    expect(target.calls).toEqual([])
  },
)

test('who is suspended while their own vote is on its way has not voted', async () => {
  const ada = await person('approver')
  const { approval, receipt } = await acme.held()

  const arrived = hold(approval.id)
  const deciding = acme.approve(approval.id, {}, { key: ada.access_token })
  const letGo = await arrived
  await setStatus(ada, 'suspended')
  letGo()

  expect(await deciding).toMatchObject({
    status: 403,
    body: { detail: 'Your account is no longer active. Ask an administrator of your tenant.' },
  })
  expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'pending_approval' })
  expect(target.calls).toEqual([])
})
