import { beforeEach, describe, expect, test } from 'vitest'
import { roles } from '../../../functions/roles/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { PERMISSIONS, permissionsOfRoles } from '../../../shared/base/catalog/permissions.ts'
import { showFactor } from '../../support/factors.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { ownerInPerson, signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
beforeEach(async () => {
  acme = await local.tenant()
  owner = await ownerInPerson(local, acme)
})

const body = {
  name: 'hook-keeper',
  description: 'Keeps the webhooks',
  permissions: ['webhooks:read', 'webhooks:write'],
}
const create = (change: object = {}, by = owner) => by.call(roles.create, { body: { ...body, ...change } })
const give = (id: string, given: string[], more: object = {}) =>
  owner.call(users.setRoles, { params: { id }, body: { roles: given, ...more } })

describe('roles of a tenant', () => {
  test('201: give their permissions to everybody who has them', async () => {
    const approver = await signIn(local, acme.approver)
    expect((await approver.call(webhooks.list)).status).toBe(403)

    expect(await create()).toMatchObject({ status: 201, body: { ...body, built_in: false } })
    await give(acme.approver.id, ['approver', 'hook-keeper'])
    expect((await approver.call(webhooks.list)).status).toBe(200)
    await owner.call(roles.replace, { params: { role: 'hook-keeper' }, body: { permissions: ['users:read'] } })
    expect((await approver.call(users.list)).status).toBe(200)
    expect((await approver.call(webhooks.list)).status).toBe(403)
  })

  test('403: nobody makes a role that holds more than they do, or adds it to one', async () => {
    await create({ name: 'role-maker', permissions: ['roles:write', 'users:read'] })
    await give(acme.approver.id, ['role-maker'])
    const maker = await showFactor(local, await signIn(local, acme.approver))

    expect((await create({}, maker)).status).toBe(403)
    expect((await create({ permissions: ['users:read'] }, maker)).status).toBe(201)
    const change = { params: { role: 'hook-keeper' }, body: { permissions: ['users:read', 'tenant:kms'] } }
    expect((await maker.call(roles.replace, change)).status).toBe(403)
  })

  test('409: a name that is taken, also by a built-in role', async () => {
    await create()

    expect((await create()).status).toBe(409)
    expect((await create({ name: 'auditor' })).status).toBe(409)
  })

  test('409: built-in roles stay as they are', async () => {
    for (const role of ['owner', 'member']) {
      expect((await owner.call(roles.delete, { params: { role } })).status).toBe(409)
      const change = { params: { role }, body: { permissions: ['users:read'] } }
      expect((await owner.call(roles.replace, change)).status).toBe(409)
    }
  })

  test('409: a role that somebody has is not deleted; 204: one that nobody has is', async () => {
    await create()
    await give(acme.approver.id, ['hook-keeper'])
    const remove = () => owner.call(roles.delete, { params: { role: 'hook-keeper' } })

    expect(await remove()).toMatchObject({ status: 409 })
    await give(acme.approver.id, ['approver'])
    expect((await remove()).status).toBe(204)
    expect((await remove()).status).toBe(404)
    expect((await give(acme.approver.id, ['hook-keeper'])).status).toBe(422)
  })

  test('409: fifty are enough', async () => {
    for (let n = 0; n < 50; n += 1) expect((await create({ name: `role-${n}` })).status).toBe(201)

    expect((await create()).status).toBe(409)
    const { body: page } = await owner.call(roles.list, { query: { limit: 50 } })
    expect(page).toMatchObject({ total: 58, has_more: true })
    const { body: rest } = await owner.call(roles.list, { query: { limit: 50, cursor: page.next_cursor } })
    expect(rest).toMatchObject({ total: 58, has_more: false })
    expect(new Set([...page.items, ...rest.items].map(({ name }) => name)).size).toBe(58)
  })

  test.each([
    ['a permission that there is not', { permissions: ['users:fire'] }, ['body', 'permissions', 0]],
    ['what everybody has', { permissions: ['self'] }, ['body', 'permissions', 0]],
    ['no permission', { permissions: [] }, ['body', 'permissions']],
    ['a name with a capital letter', { name: 'Keeper' }, ['body', 'name']],
  ])('422: refuses %s', async (_, change, loc) => {
    expect(await create(change)).toMatchObject({ status: 422, body: { detail: [{ loc }] } })
  })
})

test('GET /api/v1/roles lists the eight built-in ones with what they hold', async () => {
  const { body: page } = await owner.call(roles.list)

  expect(page.total).toBe(8)
  for (const { name, permissions, built_in } of page.items) {
    expect(built_in).toBe(true)
    expect(new Set(permissions)).toEqual(permissionsOfRoles([name]))
  }
})

test('GET /api/v1/permissions lists each once, in words', async () => {
  const { body: all } = await owner.call(roles.permissions)

  expect(all.items.map(({ id }: { id: string }) => id)).toEqual(Object.keys(PERMISSIONS))
  expect(all.items).toContainEqual({
    id: 'tenant:kms',
    scope: 'admin',
    roles: ['owner'],
    description: 'Choose the encryption key of the tenant.',
  })
})
