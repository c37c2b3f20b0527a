import { beforeAll, describe, expect, test } from 'vitest'
import { scim } from '../../../functions/scim/routes.ts'
import { GROUP_SCHEMA, USER_SCHEMA } from '../../unit/identity/scim/clients.ts'
import { type Directory, directory } from './directory.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Directory
let ids: string[]
let group: string

/** Five people and a group of two, in test mode, where nobody else is. */
beforeAll(async () => {
  acme = await directory(local, 'test')
  ids = []
  for (const n of [1, 2, 3, 4, 5]) {
    local.clock.moveTo(local.clock.now() + 1_000)
    const body = {
      userName: `user${n}`,
      externalId: `E-${n}`,
      title: n % 2 ? 'odd' : 'even',
      displayName: `Person ${n}`,
    }
    ids.push((await acme.user(body)).id)
  }
  group = (
    await acme.group({ displayName: 'Pair', externalId: 'G-1', members: ids.slice(0, 2).map((value) => ({ value })) })
  ).id
})

const names = ({ Resources }: { Resources: { userName?: string; displayName?: string }[] }) =>
  Resources.map(({ userName, displayName }) => userName ?? displayName)

describe('pages', () => {
  test.each([
    [{}, 1, ['user1', 'user2', 'user3', 'user4', 'user5']],
    [{ startIndex: 2, count: 2 }, 2, ['user2', 'user3']],
    [{ startIndex: 0, count: 1 }, 1, ['user1']],
    [{ startIndex: 'x', count: 1 }, 1, ['user1']],
    [{ startIndex: 5, count: 10 }, 5, ['user5']],
    [{ startIndex: 6 }, 6, []],
    [{ startIndex: 9_007_199_254_740_991 }, 9_007_199_254_740_991, []],
    [{ count: 0 }, 1, []],
    [{ count: -3 }, 1, []],
    [{ sortBy: 'userName', sortOrder: 'descending', count: 1 }, 1, ['user1']],
  ])('a query of %j gets its page', async (query, startIndex, expected) => {
    const { status, body } = await acme.call(scim.listUsers, { query })

    expect({ status, ...body }).toMatchObject({
      status: 200,
      totalResults: 5,
      startIndex,
      itemsPerPage: expected.length,
    })
    expect(names(body)).toEqual(expected)
  })

  test('of a filter count its own results', async () => {
    const { body } = await acme.filterUsers('title eq "odd"', { startIndex: 2, count: 1 })

    expect(body).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 })
    expect(names(body)).toEqual(['user3'])
  })
})

describe('filters', () => {
  test('a plus that a client did not encode is tried when the space finds nobody, in an address only', async () => {
    const other = await directory(local, 'test')
    await other.user({ userName: 'ada+ops@plus.example', title: 'a+b' })
    await other.user({ userName: 'eve x@plus.example' })
    const found = async (filter: string) => names((await other.filterUsers(filter)).body)

    expect(await found('userName eq "ada ops@plus.example"')).toEqual(['ada+ops@plus.example'])
    expect(await found('userName eq "ada ops@plus.example" and active eq true')).toEqual(['ada+ops@plus.example'])
    expect(await found('userName eq "eve x@plus.example"')).toEqual(['eve x@plus.example'])
    expect(await found('title eq "a b"')).toEqual([])
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: 'userName eq "ada ops@plus.example"',
    }
    expect((await other.call(scim.searchUsers, { body })).body.totalResults).toBe(0)
  })

  test.each([
    ['userName eq "USER3"', ['user3']],
    ['externalId eq "E-2"', ['user2']],
    ['externalId eq "e-2"', []],
    ['userName eq "user3" and title eq "even"', []],
    ['title eq "even" or userName eq "user1"', ['user1', 'user2', 'user4']],
    ['not (title eq "odd")', ['user2', 'user4']],
    ['displayName eq "Person 4"', ['user4']],
    ['meta.created gt "2000-01-01T00:00:00Z" and userName sw "user5"', ['user5']],
    ['meta.resourceType eq "User"', ['user1', 'user2', 'user3', 'user4', 'user5']],
    ['active eq "False"', []],
  ])('%s', async (filter, expected) => {
    expect(names((await acme.filterUsers(filter)).body)).toEqual(expected)
  })

  test('find people by their groups, and groups by their members', async () => {
    expect(names((await acme.filterUsers(`groups.value eq "${group}"`)).body)).toEqual(['user1', 'user2'])
    expect(names((await acme.filterUsers(`groups pr`)).body)).toEqual(['user1', 'user2'])
    expect(names((await acme.filterGroups(`members.value eq "${ids[1]}"`)).body)).toEqual(['Pair'])
    expect(names((await acme.filterGroups(`members eq "${ids[4]}"`)).body)).toEqual([])
    expect(names((await acme.filterGroups('externalId eq "G-1"')).body)).toEqual(['Pair'])
  })

  test('an address and a name are found by what they are now, by every address, and not by what they were', async () => {
    const emails = ['here@acme.example', 'There@acme.example'].map((value) => ({ value, type: 'work' }))
    const { id } = await acme.user({ userName: 'mover', displayName: 'Mover', emails })
    await acme.patchUser(id, {
      Operations: [
        { op: 'replace', path: 'emails', value: [emails[1], { value: 'new@acme.example', type: 'home' }] },
        { op: 'replace', path: 'displayName', value: 'Moved' },
      ],
    })
    const found = async (filter: string) => names((await acme.filterUsers(filter)).body)

    expect(await found('emails.value eq "there@ACME.example"')).toEqual(['mover'])
    expect(await found('emails[type eq "home" and value eq "new@acme.example"]')).toEqual(['mover'])
    expect(await found('emails[type eq "work" and value eq "new@acme.example"]')).toEqual([])
    expect(await found('emails.value eq "here@acme.example"')).toEqual([])
    expect(await found('displayName eq "moved"')).toEqual(['mover'])
    expect(await found('displayName eq "Mover"')).toEqual([])
    await acme.call(scim.deleteUser, { params: { id } })
    expect(await found('displayName eq "Moved" or emails.value eq "new@acme.example"')).toEqual([])
  })

  test('400 invalidValue: more addresses than a transaction can index, at once or one after another', async () => {
    const emailsTo = (n: number) => Array.from({ length: n }, (_, one) => ({ value: `a${one}@acme.example` }))
    const body = { userName: 'many', emails: emailsTo(21) }
    expect(await acme.call(scim.createUser, { body })).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue' },
    })

    const { id } = await acme.user({ ...body, emails: emailsTo(20) })
    const more = { op: 'add', path: 'emails', value: [{ value: 'one-more@acme.example' }] }
    const all = { op: 'replace', path: 'emails', value: emailsTo(40).slice(20) }
    expect(await acme.patchUser(id, { Operations: [more] })).toMatchObject({ status: 400 })
    expect((await acme.patchUser(id, { Operations: [all] })).status).toBe(200)
    await acme.call(scim.deleteUser, { params: { id } })
  })

  test('400 invalidFilter: one that cannot be understood', async () => {
    for (const filter of [
      'userName eq bob',
      'shoeSize eq 4',
      'userName eq "a',
      'password pr',
      `title eq "${'x'.repeat(2_000)}"`,
    ]) {
      expect(await acme.filterUsers(filter), filter).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } })
    }
  })
})

describe('POST /.search', () => {
  test('asks what the query string asks', async () => {
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest']
    const body = { schemas, filter: 'title eq "odd"', attributes: ['userName'], startIndex: 2, count: 1 }
    const reply = await acme.call(scim.searchUsers, { body })

    expect(reply).toMatchObject({ status: 200, body: { totalResults: 3, startIndex: 2, itemsPerPage: 1 } })
    expect(reply.body.Resources).toEqual([{ schemas: [USER_SCHEMA], id: ids[2], userName: 'user3' }])
    const groups = await acme.call(scim.searchGroups, { body: { excludedAttributes: ['members', 'meta'] } })
    expect(groups.body.Resources).toEqual([
      { schemas: [GROUP_SCHEMA], id: group, displayName: 'Pair', externalId: 'G-1' },
    ])
  })
})

describe('both types at once', () => {
  test('are one list, users first', async () => {
    const all = await acme.call(scim.listAll)
    const end = await acme.call(scim.searchAll, { body: { startIndex: 5, count: 2 } })

    expect(all.body).toMatchObject({ totalResults: 6, itemsPerPage: 6 })
    expect(names(end.body)).toEqual(['user5', 'Pair'])
    expect((await acme.call(scim.listAll, { query: { count: 0 } })).body).toMatchObject({
      totalResults: 6,
      Resources: [],
    })
  })

  test('a filter speaks of those that have the attribute', async () => {
    const search = async (filter: string) => (await acme.call(scim.listAll, { query: { filter } })).body

    expect(names(await search('displayName sw "P"'))).toEqual(['user1', 'user2', 'user3', 'user4', 'user5', 'Pair'])
    expect(names(await search('userName eq "user2"'))).toEqual(['user2'])
    expect(names(await search('meta.resourceType eq "Group"'))).toEqual(['Pair'])
    expect(await search('shoeSize eq 4')).toMatchObject({ scimType: 'invalidFilter' })
  })
})

describe('the returned attributes:', () => {
  test('attributes and their opposite, for lists and single resources', async () => {
    const params = { id: ids[0] ?? '' }
    const one = await acme.call(scim.getUser, { params, query: { attributes: 'USERNAME,meta.resourceType' } })
    const groups = await acme.call(scim.getUser, { params, query: { attributes: 'groups' } })
    const less = await acme.call(scim.listUsers, { query: { excludedAttributes: 'meta,groups,displayName', count: 1 } })

    expect(one.body).toEqual({ schemas: [USER_SCHEMA], id: ids[0], userName: 'user1', meta: { resourceType: 'User' } })
    expect(groups.body.groups).toMatchObject([{ value: group }])
    expect(less.body.Resources).toEqual([
      { schemas: [USER_SCHEMA], id: ids[0], userName: 'user1', externalId: 'E-1', title: 'odd', active: true },
    ])
  })

  test('answers of changes, too', async () => {
    const reply = await acme.call(scim.patchUser, {
      params: { id: ids[4] ?? '' },
      query: { attributes: 'title' },
      body: { Operations: [{ op: 'replace', path: 'title', value: 'odd one' }] },
    })

    expect(reply.body).toEqual({ schemas: [USER_SCHEMA], id: ids[4], title: 'odd one' })
  })
})
