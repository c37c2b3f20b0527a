// Whoever stands behind the key of a directory stands behind the people that it makes, and who says what its groups give, behind
// those who may decide by it.
import { beforeEach, expect, test } from 'vitest'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { settleGroup } from '../../../shared/identity/scim/groups/align-roles.ts'
import { groupMappings } from '../../../shared/identity/scim/groups/group-mapping.ts'
import { showFactor } from '../../support/factors.ts'
import { bodyOf } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { personWith } from '../../support/people.ts'
import { ownerInPerson, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { entra } from '../../unit/identity/scim/clients.ts'
import { type Directory, directory } from './directory.ts'

const local = useLocalStack()
let acme: Directory
let owner: SignedIn
let maker: string
beforeEach(async () => {
  acme = await directory(local)
  owner = await ownerInPerson(local, acme.tenant)
  maker = acme.tenant.owner.id
})

const raisers = async (id: string): Promise<string[]> =>
  bodyOf(await owner.call(users.get, { params: { id } }), 200).raised.map(({ by }: { by: string }) => by)
const map = async (by: SignedIn, ...group_roles: object[]) => {
  const params = { tenant_id: acme.tenant.tenant_id }
  bodyOf(await by.call(tenants.update, { params, body: { settings: { group_roles } } }), 200)
}

test('everybody who has seen the key raises the accounts that it makes', async () => {
  const seen = await personWith(local, owner, ['admin'])
  const key = await makeKey(acme.tenant, { created_by: maker, seen_by: [seen.user_id] })
  const shared = await directory(local, 'live', { ...acme.tenant, live_key: key })

  const { id } = await shared.user({ userName: 'grace@acme.example' })
  expect((await raisers(id)).toSorted()).toEqual([maker, seen.user_id].toSorted())
})

test('a person who maps a group raises its members, also one whom the directory adds later, or the sweeper', async () => {
  const admin = await showFactor(local, await personWith(local, owner, ['admin']))
  const [ada, ben] = [await personWith(local, owner, ['member']), await personWith(local, owner, ['member'])]
  const { id } = await acme.group({ displayName: 'Deciders', members: [{ value: ada.user_id }] })
  await map(admin, { group: 'Deciders', role: 'approver' })
  expect(await raisers(ada.user_id)).toEqual([admin.user_id, maker]) // who named the group stands behind it, too

  await acme.patchGroup(id, entra.addMember(ben.user_id))
  expect((await raisers(ben.user_id)).toSorted()).toEqual([admin.user_id, maker].toSorted())
})

test('a mapping that only the sweeper has applied leaves its author behind the members', async () => {
  const one = await personWith(local, owner, ['member'])
  const { id } = await acme.group({ displayName: 'Deciders', members: [{ value: one.user_id }] })
  const space = { tenant_id: acme.tenant.tenant_id, mode: 'live' as const }
  const sweeper = systemContext(space)
  const raised = [{ by: 'usr_author', at: new Date(local.clock.now()).toISOString() }]
  const { tenant_id } = space
  await sweeper.table.commit([
    groupMappings.insert({ tenant_id, group_roles: [{ group: 'Deciders', role: 'approver' }], raised }),
  ])
  await settleGroup(sweeper, id)

  expect((await raisers(one.user_id)).toSorted()).toEqual([maker, 'usr_author'].toSorted())
})
