// A day with Okta: what its documentation says that it sends, in the order in which it does.
import { beforeAll, describe, expect, test } from 'vitest'
import { scim } from '../../../functions/scim/routes.ts'
import { okta, patchBody } from '../../unit/identity/scim/clients.ts'
import { type Directory, directory, inOrder, MODES } from './directory.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

describe.each(MODES)('Okta in %s mode', (mode) => {
  let okt: Directory
  beforeAll(async () => {
    okt = await directory(local, mode)
  })

  test('tests the connection', async () => {
    const users = await okt.call(scim.listUsers, { query: { startIndex: 1, count: 2 } })
    const groups = await okt.call(scim.listGroups, { query: { startIndex: 1, count: 100 } })

    expect(users).toMatchObject({ status: 200, body: { startIndex: 1, itemsPerPage: users.body.Resources.length } })
    expect(groups).toMatchObject({ status: 200, body: { totalResults: 0, itemsPerPage: 0, Resources: [] } })
  })

  test('looks first, then creates; its placeholder of a password does no harm', async () => {
    const query = { filter: 'userName eq "create@okta.example"', startIndex: 1, count: 100 }
    const before = await okt.call(scim.listUsers, { query })
    const made = await okt.call(scim.createUser, {
      body: JSON.stringify(okta.user('create@okta.example')),
      headers: { 'content-type': 'application/scim+json; charset=utf-8', accept: 'application/scim+json' },
    })
    const after = await okt.call(scim.listUsers, { query })

    expect(before.body).toMatchObject({ totalResults: 0, Resources: [] })
    const { password: _, groups: __, schemas, ...sent } = okta.user('create@okta.example')
    expect(made).toMatchObject({ status: 201, body: { ...sent, schemas, id: expect.any(String) } })
    expect(JSON.stringify(made.body)).not.toContain('1mz050nq')
    expect(after.body).toMatchObject({ totalResults: 1, Resources: [{ id: made.body.id, active: true }] })
  })

  test('finds a user that exists', async () => {
    await okt.user(okta.user('twice@okta.example'))

    expect(await okt.call(scim.createUser, { body: okta.user('twice@okta.example') })).toMatchObject({
      status: 409,
      body: { status: '409', scimType: 'uniqueness' },
    })
  })

  test('updates by PUT of everything it has read, id, groups and meta included', async () => {
    const made = await okt.user(okta.user('put@okta.example'))
    const { body } = await okt.call(scim.getUser, { params: { id: made.id } })
    const sent = { ...body, groups: [], name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' } }
    const reply = await okt.call(scim.replaceUser, { params: { id: made.id }, body: sent })

    expect(reply).toMatchObject({ status: 200, body: { id: made.id, name: sent.name, userName: 'put@okta.example' } })
    const again = await okt.call(scim.replaceUser, { params: { id: made.id }, body: reply.body })
    expect(again.headers.etag).toBe(reply.headers.etag)
  })

  test('deactivates and activates without a path, and by PUT', async () => {
    const { id } = await okt.user(okta.user('leave@okta.example'))

    expect(await okt.patchUser(id, okta.deactivate)).toMatchObject({ status: 200, body: { id, active: false } })
    expect(await okt.patchUser(id, okta.activate)).toMatchObject({ status: 200, body: { id, active: true } })
    const put = { ...okta.user('leave@okta.example'), active: false, password: undefined }
    expect(await okt.call(scim.replaceUser, { params: { id }, body: put })).toMatchObject({ body: { active: false } })
    expect((await okt.filterUsers('userName eq "leave@okta.example"')).body.Resources).toMatchObject([
      { active: false },
    ])
  })

  test('syncs a password', async () => {
    const { id } = await okt.user(okta.user('sync@okta.example'))
    const reply = await okt.patchUser(id, okta.password('correct horse battery'))

    expect(reply).toMatchObject({ status: 200, body: { id } })
    expect(JSON.stringify(reply.body)).not.toContain('correct horse')
  })

  test('pushes a group, renames it and moves members', async () => {
    const [anna, bo] = [await okt.user(okta.user('anna@okta.example')), await okt.user(okta.user('bo@okta.example'))]
    const group = await okt.group(okta.group('Test SCIMv2'))
    const found = await okt.filterGroups('displayName eq "Test SCIMv2"', { startIndex: 1, count: 100 })
    const renamed = await okt.patchGroup(group.id, okta.renameGroup(group.id, 'Test SCIMv20'))
    const joined = await okt.patchGroup(group.id, okta.membership('nobody', anna.id))
    const moved = await okt.patchGroup(group.id, okta.membership(anna.id, bo.id))
    const full = await okt.patchGroup(group.id, okta.fullMembership(anna.id, bo.id))

    expect(group).toMatchObject({ displayName: 'Test SCIMv2', members: [], meta: { resourceType: 'Group' } })
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id: group.id }] })
    expect(renamed).toMatchObject({ status: 200, body: { id: group.id, displayName: 'Test SCIMv20' } })
    expect(joined.body.members).toMatchObject([{ value: anna.id, display: 'test.user@okta.example' }])
    expect(moved.body.members).toMatchObject([{ value: bo.id }])
    const everybody = full.body.members.map(({ value }: { value: string }) => value)
    expect(inOrder(everybody)).toEqual(inOrder([anna.id, bo.id]))
    const { body } = await okt.call(scim.getUser, { params: { id: anna.id } })
    expect(body.groups).toMatchObject([{ value: group.id, $ref: group.meta.location, type: 'direct' }])
  })

  test('updates a group by PUT, and deletes it', async () => {
    const { id: anna } = await okt.user(okta.user('put-group@okta.example'))
    const { id } = await okt.group(okta.group('By PUT'))
    const body = { ...okta.group('By PUT'), members: [{ value: anna, display: 'put-group@okta.example' }] }
    const put = await okt.call(scim.replaceGroup, { params: { id }, body })
    const gone = await okt.call(scim.deleteGroup, { params: { id } })

    expect(put).toMatchObject({ status: 200, body: { id, members: [{ value: anna }] } })
    expect(gone).toMatchObject({ status: 204, body: undefined })
    expect(await okt.call(scim.getGroup, { params: { id } })).toMatchObject({ status: 404 })
    expect((await okt.call(scim.getUser, { params: { id: anna } })).body.groups).toBeUndefined()
  })

  test('reads its pages in one order', async () => {
    const first = await okt.call(scim.listUsers, { query: { startIndex: 1, count: 2 } })
    const second = await okt.call(scim.listUsers, { query: { startIndex: 3, count: 2 } })
    const both = await okt.call(scim.listUsers, { query: { startIndex: 1, count: 4 } })

    expect([...first.body.Resources, ...second.body.Resources]).toEqual(both.body.Resources)
    expect(both.body).toMatchObject({ itemsPerPage: 4, totalResults: first.body.totalResults })
  })

  test('sends an unchanged name with every change of a group, which changes nothing', async () => {
    const group = await okt.group(okta.group('Stays'))
    const reply = await okt.patchGroup(group.id, okta.renameGroup(group.id, 'Stays'))

    expect(reply.body.meta).toEqual(group.meta)
    expect(await okt.patchGroup(group.id, patchBody({ op: 'remove', path: 'members[value eq "x"]' }))).toMatchObject({
      status: 200,
      body: { meta: group.meta },
    })
  })
})
