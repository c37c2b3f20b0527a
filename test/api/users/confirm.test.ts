// A second person vouches for an account: from then on nobody stands behind it.
import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { roles } from '../../../functions/roles/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { showFactor } from '../../support/factors.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { tokenFor } from '../../support/mailbox.ts'
import { freshAddress, newPersonWith, type Person, personWith } from '../../support/people.ts'
import { ownerInPerson, signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
let puppet: Person
let admin: Person
beforeEach(async () => {
  acme = await governed(local)
  owner = await ownerInPerson(local, acme)
  puppet = await newPersonWith(local, owner, ['approver'])
  admin = await inPerson(await personWith(local, owner, ['admin']))
})

const inPerson = (one: Person): Promise<Person> => showFactor(local, one)
const confirm = (by: SignedIn, { user_id: id }: SignedIn = puppet) =>
  by.call(users.confirm, { params: { id }, body: {} })
const raisedOf = async ({ user_id: id }: SignedIn) =>
  bodyOf(await owner.call(users.get, { params: { id } }), 200).raised
const vote = async ({ access_token: key }: SignedIn) =>
  (await acme.approve((await acme.held()).approval.id, {}, { key })).body

test('the account shows who raised it, until a second person confirms it; then its votes count', async () => {
  expect(await raisedOf(puppet)).toEqual([{ by: acme.owner.id, at: expect.any(String) }])

  const body = bodyOf(await confirm(admin), 200)
  expect(body).toMatchObject({ id: puppet.user_id, raised: [], confirmed_at: expect.any(String) })
  expect(await vote(puppet)).toMatchObject({ status: 'approved', votes: [{ by: { id: puppet.user_id } }] })
  expect(bodyOf(await confirm(admin), 200).version).toBe(body.version) // nothing is left to confirm
})

test('evidence, audit log and an event say who confirmed whom', async () => {
  bodyOf(await confirm(admin), 200)

  await local.drain()
  const { body } = await acme.call(security.auditLogs, {
    params: { tenant_id: acme.tenant_id },
    query: { action: 'user.confirmed' },
  })
  expect(body.items).toMatchObject([{ actor: { id: admin.user_id }, resource: { id: puppet.user_id } }])
  const told = await acme.call(events.list, { query: { limit: 200, types: 'user.updated' } })
  expect(told.body.items.at(-1)).toMatchObject({ data: { user_id: puppet.user_id, changed_fields: ['raised'] } })
})

test('what is raised later counts anew, also in the same moment', async () => {
  bodyOf(await confirm(admin), 200)
  const email = freshAddress()
  bodyOf(await owner.call(users.update, { params: { id: puppet.user_id }, body: { email } }), 200)
  const query = { token: await tokenFor(local, email, 'verify_email') }
  bodyOf(await puppet.call(auth.verifyEmail, { query }), 200)

  expect(await vote(puppet)).toMatchObject({ code: 'not_independent' })
})

test('it covers what the role of the account was given', async () => {
  const description = 'Looks after things.'
  const create = { name: 'ops', description, permissions: ['approvals:read'] }
  bodyOf(await owner.call(roles.create, { body: create }), 201)
  const ops = await personWith(local, owner, ['ops'])
  const widened = { description, permissions: ['approvals:read', 'approvals:decide'] }
  bodyOf(await owner.call(roles.replace, { params: { role: 'ops' }, body: widened }), 200)
  expect(await vote(ops)).toMatchObject({ code: 'not_independent' })

  bodyOf(await confirm(admin, ops), 200)
  expect(await vote(ops)).toMatchObject({ status: 'approved' })
})

describe('403: nobody confirms who', () => {
  test('has raised the account', async () => {
    expect(await confirm(owner)).toMatchObject({ status: 403, body: { code: 'not_independent' } })
  })

  test('was raised by the same person, by a puppet of theirs, or by the account', async () => {
    const second = await inPerson(await newPersonWith(local, owner, ['admin']))
    const third = await inPerson(await newPersonWith(local, second, ['admin']))
    const other = await inPerson(await newPersonWith(local, admin, ['admin']))
    const fourth = await inPerson(await newPersonWith(local, other, ['admin']))

    for (const by of [second, third]) {
      expect(await confirm(by)).toMatchObject({ status: 403, body: { code: 'not_independent' } })
    }
    expect(await confirm(fourth, other)).toMatchObject({ status: 403, body: { code: 'not_independent' } })
    expect(await raisedOf(puppet)).toHaveLength(1)
  })

  test('lacks users:write, or a fresh second factor', async () => {
    const reader = await inPerson(await personWith(local, owner, ['auditor']))
    const tired = await personWith(local, owner, ['admin'])

    expect((await confirm(reader)).status).toBe(403)
    expect(await confirm(tired)).toMatchObject({ status: 403, body: { code: 'enrolment_required' } })
    expect((await confirm({ ...tired, call: acme.call })).body.code).toBe('person_required')
  })
})

test('409: nor their own account; 404: nor one of another tenant', async () => {
  const self = await inPerson(await newPersonWith(local, owner, ['admin']))
  const other = await ownerInPerson(local, await local.tenant())

  expect((await confirm(self, self)).status).toBe(409)
  expect((await confirm(other)).status).toBe(404)
  expect((await signIn(local, puppet)).user_id).toBe(puppet.user_id)
})
