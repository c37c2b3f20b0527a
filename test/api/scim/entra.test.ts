// A day with Microsoft Entra: what its documentation says that it sends, with and without its flag `aadOptscim062020`.
import { beforeAll, describe, expect, test } from 'vitest'
import { scim } from '../../../functions/scim/routes.ts'
import { ENTERPRISE, entra } from '../../unit/identity/scim/clients.ts'
import { type Directory, directory, MODES } from './directory.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

describe.each(MODES)('Entra in %s mode', (mode) => {
  let ent: Directory
  beforeAll(async () => {
    ent = await directory(local, mode)
  })

  test('tests the connection with a name that nobody has, and flags on the address', async () => {
    const filter = 'userName eq "9a8b7c6d-0000-4000-8000-123456789abc"'

    expect(await ent.filterUsers(filter, { aadOptscim062020: '' })).toMatchObject({
      status: 200,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
        totalResults: 0,
        startIndex: 1,
        itemsPerPage: 0,
        Resources: [],
      },
    })
  })

  test('creates with empty roles and an empty title', async () => {
    const sent = entra.user('create@entra.example', 'create@mail.example')
    const made = await ent.call(scim.createUser, { body: sent, query: { aadOptscim062020: '' } })

    const { roles: _, meta: __, schemas: ___, ...kept } = sent
    expect(made).toMatchObject({ status: 201, body: { ...kept, meta: { resourceType: 'User' } } })
    expect(made.body.roles).toBeUndefined()
    expect(await ent.filterUsers(`externalId eq "${sent.externalId}"`)).toMatchObject({ body: { totalResults: 1 } })
    expect(await ent.filterUsers('emails[type eq "work"].value eq "create@mail.example"')).toMatchObject({
      body: { totalResults: 1, Resources: [{ id: made.body.id }] },
    })
  })

  test('changes many paths in one PATCH, and by its flag', async () => {
    const { id } = await ent.user(entra.user('many@entra.example', 'many@mail.example'))
    const many = await ent.patchUser(id, entra.manyPaths('other@mail.example'))
    const flagged = await ent.patchUser(id, entra.manyPathsCompliant('third@mail.example'))

    expect(many).toMatchObject({
      status: 200,
      body: {
        displayName: 'Pvlo',
        emails: [{ value: 'other@mail.example', type: 'work', primary: true }],
        phoneNumbers: [{ type: 'mobile', value: '+1 425 555 0100' }],
        addresses: [{ type: 'work', country: 'NO' }],
        externalId: 'Eqpj',
        [ENTERPRISE]: { employeeNumber: 'Eqpj', manager: { value: '26118915-6090-4610-87e4-49d8ca9f808d' } },
      },
    })
    expect(flagged).toMatchObject({
      status: 200,
      body: {
        displayName: 'Bjfe',
        name: { formatted: 'Adele Vance', givenName: 'Kkom', familyName: 'Unua' },
        emails: [{ value: 'third@mail.example', type: 'work', primary: true }],
        [ENTERPRISE]: { employeeNumber: 'Aklq', manager: { value: '26118915-6090-4610-87e4-49d8ca9f808d' } },
      },
    })
    expect(many.body.schemas).toContain(ENTERPRISE)
  })

  test.each([
    ['"False"', entra.disable],
    ['false', entra.disableCompliant],
  ])('disables with %s', async (name, body) => {
    const { id } = await ent.user(entra.user(`off-${name.length}@entra.example`, `off-${name.length}@mail.example`))

    expect(await ent.patchUser(id, body)).toMatchObject({ status: 200, body: { active: false } })
    expect(await ent.call(scim.getUser, { params: { id } })).toMatchObject({ status: 200, body: { active: false } })
  })

  test('pushes a group without reading its members', async () => {
    const { id: anna } = await ent.user(entra.user('anna@entra.example', 'anna@mail.example'))
    const group = await ent.group(entra.group('Entra Group'))
    const { id } = group
    const added = await ent.patchGroup(id, entra.addMember(anna))
    const found = await ent.filterGroups('displayName eq "entra group"', { excludedAttributes: 'members' })
    const read = await ent.call(scim.getGroup, { params: { id }, query: { excludedAttributes: 'members' } })
    const member = await ent.filterGroups(`id eq "${id}" and members eq "${anna}"`, { attributes: 'id' })

    expect(group).toMatchObject({ externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159', meta: { resourceType: 'Group' } })
    expect(added.body.members).toMatchObject([{ value: anna, type: 'User' }])
    expect(found.body.Resources).toEqual([expect.not.objectContaining({ members: expect.anything() })])
    expect(read.body).toMatchObject({ id, displayName: 'Entra Group' })
    expect(read.body.members).toBeUndefined()
    expect(member.body.Resources).toEqual([{ schemas: group.schemas, id }])
  })

  test.each([
    ['a value array', entra.removeMember],
    ['a filter', entra.removeMemberCompliant],
  ])('removes a member by %s', async (name, remove) => {
    const mail = `${name.replaceAll(' ', '-')}@entra.example`
    const [{ id: anna }, { id: bo }] = [
      await ent.user(entra.user(mail, mail)),
      await ent.user({ userName: `b${mail}` }),
    ]
    const { id } = await ent.group({ displayName: name, members: [{ value: anna }, { value: bo }] })

    expect(await ent.patchGroup(id, remove(anna))).toMatchObject({ status: 200, body: { members: [{ value: bo }] } })
  })

  test('deletes a user', async () => {
    const { id } = await ent.user(entra.user('gone@entra.example', 'gone@mail.example'))

    expect(await ent.call(scim.deleteUser, { params: { id } })).toMatchObject({ status: 204 })
    expect(await ent.call(scim.getUser, { params: { id } })).toMatchObject({ status: 404, body: { status: '404' } })
    expect((await ent.filterUsers('userName eq "gone@entra.example"')).body.totalResults).toBe(0)
    expect(await ent.user(entra.user('gone@entra.example', 'gone@mail.example'))).not.toMatchObject({ id })
  })

  test('discovers the schemas', async () => {
    const reply = await ent.call(scim.listSchemas)

    expect(reply).toMatchObject({ status: 200, body: { totalResults: 3 } })
    expect(JSON.stringify(reply.body)).not.toContain('null')
  })
})
