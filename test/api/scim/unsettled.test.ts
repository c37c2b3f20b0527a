// Changes of what groups give that break off half-way, or overtake each other: nobody keeps a role that nothing gives any more.
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { scim } from '../../../functions/scim/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { noteOf } from '../../../shared/identity/scim/groups/store-group.ts'
import { faults } from '../../support/faults.ts'
import { heldCommit } from '../../support/held-commit.ts'
import { ownerInPerson, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { patchBody } from '../../unit/identity/scim/clients.ts'
import { type Directory, directory } from './directory.ts'

const MEMBERS = 45

const database = faults()
const transactions = heldCommit()

const local = useLocalStack({ plugins: [database.plugin, transactions.plugin] })
let acme: Directory
let owner: SignedIn
let people: string[]
let group: string

beforeAll(async () => {
  acme = await directory(local)
  owner = await ownerInPerson(local, acme.tenant)
  const names = Array.from({ length: MEMBERS }, (_, n) => `person-${n}@acme.example`)
  people = await Promise.all(names.map(async (userName) => (await acme.user({ userName })).id))
})
beforeEach(async () => {
  await give({ group: 'Admins', role: 'admin' })
  group = (await acme.group({ displayName: 'Admins', members: people.map((value) => ({ value })) })).id
  expect(await admins()).toBe(MEMBERS)
})

afterEach(() => acme.call(scim.deleteGroup, { params: { id: group } }))

const give = (...group_roles: { group: string; role: string }[]) =>
  owner.call(tenants.update, { params: { tenant_id: acme.tenant.tenant_id }, body: { settings: { group_roles } } })

/** How many of the people have the role. */
async function admins(): Promise<number> {
  const all = await Promise.all(people.map((id) => owner.call(users.get, { params: { id } })))
  return all.filter(({ body }) => body.group_roles.includes('admin')).length
}

/** Runs a request whose process dies after so many commits. */
async function broken(commits: number, request: () => Promise<{ status: number }>): Promise<void> {
  database.die({ at: commits + 1, command: 'TransactWriteItemsCommand' })
  expect((await request()).status).toBeGreaterThanOrEqual(500)
  expect(database.restart()).toBe(true)
}

async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    local.clock.moveTo(local.clock.now() + 60_000)
    await local.sweep()
  }
}

const note = () => noteOf(systemContext({ tenant_id: acme.tenant.tenant_id, mode: 'live' }), group)
const rename = () => acme.patchGroup(group, patchBody({ op: 'replace', path: 'displayName', value: 'People' }))
const renameAndEmpty = () =>
  acme.patchGroup(
    group,
    patchBody({ op: 'replace', path: 'displayName', value: 'People' }, { op: 'remove', path: 'members' }),
  )

test('a group that was renamed and emptied in two parts, of which one was stored, is finished by the next request', async () => {
  await broken(1, renameAndEmpty)
  expect(await admins()).toBe(MEMBERS - 40)

  expect(await renameAndEmpty()).toMatchObject({ status: 200, body: { members: [] } })
  expect(await admins()).toBe(0)
})

test('or by the sweeper, when nobody asks again', async () => {
  await broken(1, renameAndEmpty)
  await minutes(2)

  expect(await admins()).toBe(0)
  expect(await note()).toBeUndefined()
})

test('a group that was renamed before its members were looked at is finished by the sweeper', async () => {
  await broken(1, rename)
  expect(await admins()).toBe(MEMBERS)
  await minutes(2)

  expect(await admins()).toBe(0)
  expect(await note()).toBeUndefined()
})

test('a setting that was taken back before the members were looked at, too', async () => {
  await broken(2, () => give()) // the note, and the setting
  expect(await admins()).toBe(MEMBERS)
  await give()
  await minutes(2)

  expect(await admins()).toBe(0)
  expect(await note()).toBeUndefined()
})

test('a setting that is taken back while the members are looked at gives nobody anything', async () => {
  await give()
  const held = transactions.hold('group.roles_applied')
  const giving = give({ group: 'Admins', role: 'admin' })
  const letGo = await held
  await give()
  letGo()

  expect((await giving).status).toBe(200)
  expect(await admins()).toBe(0)
  expect(await note()).toBeUndefined()
})

test('a change that goes through leaves no note', async () => {
  expect(await rename()).toMatchObject({ status: 200 })

  expect(await note()).toBeUndefined()
  expect(await admins()).toBe(0)
})
