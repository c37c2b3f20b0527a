// Roles that people have through groups of their directory, by the tenant's setting.
import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { openTable } from '../../../shared/base/context.ts'
import { tenants as tenantItems } from '../../../shared/base/tenant/tenant.ts'
import { memberships } from '../../../shared/govern/approvals/votes/voters.ts'
import { groupMappings } from '../../../shared/identity/scim/groups/group-mapping.ts'
import { keyHash, scimKeys } from '../../../shared/identity/scim/filter/keys.ts'
import { scimMembers } from '../../../shared/identity/scim/groups/stored-group.ts'
import { alarms, plant, steal, tamper } from '../../support/insider.ts'
import { PASSWORD } from '../../support/local-stack.ts'
import { ownerInPerson, type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { entra, patchBody } from '../../unit/identity/scim/clients.ts'
import { type Directory, directory, prove, told } from './directory.ts'

const local = useLocalStack()
let acme: Directory
let owner: SignedIn
let anna: string

beforeEach(async () => {
  acme = await directory(local)
  owner = await ownerInPerson(local, acme.tenant)
  anna = (await acme.user({ userName: `anna-${acme.tenant.tenant_id}@acme.example`, password: PASSWORD })).id
})

const map = async (...group_roles: { group: string; role: string }[]) => {
  const params = { tenant_id: acme.tenant.tenant_id }
  const reply = await owner.call(tenants.update, { params, body: { settings: { group_roles } } })
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
}
const rolesOf = async (id: string) => (await owner.call(users.get, { params: { id } })).body.group_roles
const rename = (id: string, value: string) =>
  acme.patchGroup(id, patchBody({ op: 'replace', path: 'displayName', value }))

test('a member gains the role with the group and loses it with the group, at the next request', async () => {
  await map({ group: 'Approvers', role: 'approver' })
  await prove(local, `anna-${acme.tenant.tenant_id}@acme.example`)
  const session = await signIn(local, { email: `anna-${acme.tenant.tenant_id}@acme.example` })
  const permissions = async () => (await session.call(auth.me)).body.permissions
  const { id } = await acme.group({ displayName: 'APPROVERS' })

  expect(await permissions()).not.toContain('approvals:decide')
  await acme.patchGroup(id, entra.addMember(anna))
  expect(await rolesOf(anna)).toEqual(['approver'])
  expect(await permissions()).toContain('approvals:decide')
  await acme.patchGroup(id, entra.removeMember(anna))
  expect(await rolesOf(anna)).toEqual([])
  expect(await permissions()).not.toContain('approvals:decide')
  const ofAnna = (await told(local, acme, 'user.updated')).filter(({ data }) => data.user_id === anna)
  const events = ofAnna.filter(({ data }) => data.changed_fields.includes('group_roles'))
  expect(events).toMatchObject([
    { data: { changed_fields: ['group_roles'], roles: ['member', 'approver'], source: 'scim' } },
    { data: { changed_fields: ['group_roles'], roles: ['member'], source: 'scim' } },
  ])
})

test('the setting may name a group by its id, and several roles', async () => {
  const { id } = await acme.group({ displayName: 'Anything' })
  await map({ group: id, role: 'auditor' }, { group: id, role: 'operator' })
  await acme.patchGroup(id, entra.addMember(anna))

  expect(await rolesOf(anna)).toEqual(['auditor', 'operator'])
})

test('a role stays as long as one group gives it', async () => {
  await map({ group: 'One', role: 'approver' }, { group: 'Two', role: 'approver' }, { group: 'Two', role: 'auditor' })
  const [one, two] = [
    await acme.group({ displayName: 'One', members: [{ value: anna }] }),
    await acme.group({ displayName: 'Two', members: [{ value: anna }] }),
  ]
  expect(await rolesOf(anna)).toEqual(['approver', 'auditor'])

  await acme.patchGroup(two.id, patchBody({ op: 'remove', path: 'members' }))
  expect(await rolesOf(anna)).toEqual(['approver'])
  await acme.call(scim.deleteGroup, { params: { id: one.id } })
  expect(await rolesOf(anna)).toEqual([])
})

test('a group under another name gives what that name gives', async () => {
  await map({ group: 'Admins', role: 'admin' })
  const { id } = await acme.group({ displayName: 'People', members: [{ value: anna }] })
  expect(await rolesOf(anna)).toEqual([])

  await rename(id, 'Admins')
  expect(await rolesOf(anna)).toEqual(['admin'])
  await rename(id, 'People')
  expect(await rolesOf(anna)).toEqual([])
})

test('a person who leaves a group in the same request that renames it keeps none of its roles', async () => {
  await map({ group: 'Admins', role: 'admin' })
  const { id } = await acme.group({ displayName: 'Admins', members: [{ value: anna }] })
  expect(await rolesOf(anna)).toEqual(['admin'])

  await acme.patchGroup(
    id,
    patchBody({ op: 'replace', path: 'displayName', value: 'People' }, { op: 'remove', path: 'members' }),
  )
  expect(await rolesOf(anna)).toEqual([])
})

test('a changed setting reaches those who are in the group already', async () => {
  await acme.group({ displayName: 'People', members: [{ value: anna }, { value: 'unknown-1' }] })

  await map({ group: 'People', role: 'developer' })
  expect(await rolesOf(anna)).toEqual(['developer'])
  await map()
  expect(await rolesOf(anna)).toEqual([])
})

test('no group gives the role owner, even by the setting', async () => {
  const { tenant_id } = acme.tenant
  const group_roles = [
    { group: 'Bosses', role: 'owner' },
    { group: 'Bosses', role: 'auditor' },
  ]
  await openTable().commit([groupMappings.insert({ tenant_id, group_roles })])
  await acme.group({ displayName: 'Bosses', members: [{ value: anna }] })

  expect(await rolesOf(anna)).toEqual(['auditor'])
})

test('members of a group inside a group gain nothing', async () => {
  await map({ group: 'Outer', role: 'admin' })
  const inner = await acme.group({ displayName: 'Inner', members: [{ value: anna }] })
  await acme.group({ displayName: 'Outer', members: [{ value: inner.id }] })

  expect(await rolesOf(anna)).toEqual([])
})

test('the test directory gives nobody anything', async () => {
  await map({ group: 'Approvers', role: 'approver' })
  const sandbox = await directory(local, 'test', acme.tenant)
  await sandbox.group({ displayName: 'Approvers', members: [{ value: anna }] })

  expect(await rolesOf(anna)).toEqual([])
})

test('members that come and go at once in two groups end up with the right roles', async () => {
  await map({ group: 'One', role: 'approver' }, { group: 'Two', role: 'auditor' })
  const [one, two] = [await acme.group({ displayName: 'One' }), await acme.group({ displayName: 'Two' })]
  const replies = await Promise.all([
    acme.patchGroup(one.id, entra.addMember(anna)),
    acme.patchGroup(two.id, entra.addMember(anna)),
  ])

  expect(replies.map(({ status }) => status)).toEqual([200, 200])
  expect(await rolesOf(anna)).toEqual(['approver', 'auditor'])
})

test('a role that moves from one group to another at once is not lost', async () => {
  await map({ group: 'One', role: 'approver' }, { group: 'Two', role: 'approver' })
  for (const round of [1, 2, 3, 4]) {
    const one = await acme.group({ displayName: 'One', members: [{ value: anna }] })
    const two = await acme.group({ displayName: 'Two' })
    await Promise.all([
      acme.patchGroup(two.id, entra.addMember(anna)),
      acme.patchGroup(one.id, entra.removeMember(anna)),
    ])

    expect(await rolesOf(anna), `round ${round}`).toEqual(['approver'])
    await acme.call(scim.deleteGroup, { params: { id: two.id } })
    expect(await rolesOf(anna), `round ${round}`).toEqual([])
  }
})

describe('in the table, without the service, nobody gets the roles of a group', () => {
  const space = () => ({ tenant_id: acme.tenant.tenant_id, mode: 'live' as const })
  const newPerson = async (name: string) => (await acme.user({ userName: `${name}@acme.example` })).id
  const group = async (displayName: string, ...ids: string[]) =>
    (await acme.group({ displayName, members: ids.map((value) => ({ value })) })).id

  test('by a row of a member, nor a vote for it', async () => {
    const raised = alarms()
    await map({ group: 'Admins', role: 'admin' }, { group: 'Staff', role: 'auditor' })
    const [id, staff] = [await group('Admins', await newPerson('ben')), await group('Staff')]
    const other = await group('Other', anna)
    const row = await steal(scimMembers.key({ ...space(), group_id: other, value: anna }))
    await plant({ ...row, ...scimMembers.key({ ...space(), group_id: id, value: anna }), group_id: id, gsi1sk: id })

    await acme.patchGroup(staff, entra.addMember(anna))
    await rename(id, 'admins')
    expect(await rolesOf(anna)).toEqual(['auditor'])
    expect(await memberships(openTable(), space(), anna, [`group:${id}`])).toEqual([])
    expect(raised).toContain('row_forged')

    await acme.patchGroup(id, entra.addMember(anna))
    expect(await rolesOf(anna)).toEqual(['admin', 'auditor'])
  })

  test('by a name that leads to another group, or another name of that', async () => {
    await map({ group: 'Admins', role: 'admin' })
    await group('Admins')
    const [people, staff] = [await group('People', anna), await group('Staff')]
    const at = (name: string, id: string) =>
      scimKeys.key({ ...space(), attribute: 'displayName', hash: keyHash('displayName', name), id })
    const row = await steal(at('People', people))
    await plant({ ...row, ...at('Admins', people), hash: keyHash('displayName', 'Admins') })
    await tamper({ pk: `T#${space().tenant_id}#live#GROUP#${staff}`, sk: 'GROUP' }, { displayName: 'Admins' })

    await acme.patchGroup(people, entra.addMember(await newPerson('carl')))
    await rename(people, 'Persons')
    expect((await acme.patchGroup(staff, entra.addMember(anna))).status).toBe(404)
    expect(await rolesOf(anna)).toEqual([])
  })

  test('by a setting that nobody made, now or with the next change', async () => {
    await map({ group: 'Staff', role: 'auditor' })
    const id = await group('People')
    const settings = { group_roles: [{ group: 'People', role: 'admin' }] }
    await tamper(tenantItems.key({ id: space().tenant_id }), { settings })
    await acme.patchGroup(id, entra.addMember(anna))
    expect(await rolesOf(anna)).toEqual([])

    const params = { tenant_id: space().tenant_id }
    const { body } = await owner.call(tenants.update, { params, body: { name: 'Acme Again' } })
    expect(body.settings.group_roles).toEqual([{ group: 'Staff', role: 'auditor' }])
    await tamper(groupMappings.key(params), { group_roles: settings.group_roles })
    await rename(id, 'people')
    expect(await rolesOf(anna)).toEqual([])
    await map({ group: 'People', role: 'developer' })
    expect(await rolesOf(anna)).toEqual(['developer'])
  })
})
