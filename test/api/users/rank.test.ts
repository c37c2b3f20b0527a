import { beforeEach, describe, expect, test } from 'vitest'
import { users } from '../../../functions/users/routes.ts'
import { showFactor } from '../../support/factors.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { freshAddress, personWith } from '../../support/people.ts'
import { ownerInPerson, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
beforeEach(async () => {
  acme = await local.tenant()
  owner = await ownerInPerson(local, acme)
})

const person = (...roles: string[]) => personWith(local, owner, roles)
const update = (id: string, body: object, by = owner) => by.call(users.update, { params: { id }, body })

describe('who can do more than the caller', () => {
  test('403: nobody takes over an account that can do more than theirs', async () => {
    const admin = await showFactor(local, await person('admin'))

    expect((await update(owner.user_id, { email: freshAddress() }, admin)).status).toBe(403)
    expect((await update(owner.user_id, { status: 'suspended' }, admin)).status).toBe(403)
    expect((await admin.call(users.delete, { params: { id: owner.user_id } })).status).toBe(403)
  })

  test('403: of a change that is refused in part nothing is done', async () => {
    const admin = await person('admin')
    const reply = await update(owner.user_id, { name: 'Fool', status: 'suspended' }, admin)

    expect(reply).toMatchObject({
      status: 403,
      body: { detail: 'Only an owner can do this to an owner. Ask one of them.' },
    })
    expect((await owner.call(users.get, { params: { id: owner.user_id } })).body).toMatchObject({ name: 'Owner' })
  })

  test('200: a key of an administrator ends the access of people, but does not take an account over', async () => {
    const [ada, ben] = [await person('developer'), await person('admin')]

    const email = await acme.call(users.update, { params: { id: ada.user_id }, body: { email: freshAddress() } })
    expect(email).toMatchObject({
      status: 403,
      body: { code: 'person_required' },
    })
    const suspend = { params: { id: ada.user_id }, body: { status: 'suspended' } }
    expect((await acme.call(users.update, suspend)).status).toBe(200)
    expect((await acme.call(users.delete, { params: { id: ben.user_id } })).status).toBe(204)
    expect((await acme.call(users.delete, { params: { id: owner.user_id } })).status).toBe(403)
  })
})

test('401: the keys that the last owner but one made end with them, and the tenant keeps an owner', async () => {
  const second = await person('owner')
  await update(owner.user_id, { status: 'suspended' }, second)

  expect(
    (await acme.call(users.update, { params: { id: second.user_id }, body: { status: 'suspended' } })).status,
  ).toBe(401)
  expect((await second.call(users.list)).status).toBe(200)
})
