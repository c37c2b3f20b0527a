import { beforeAll, describe, expect, test } from 'vitest'
import { scim } from '../../../functions/scim/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { scimMembers } from '../../../shared/identity/scim/groups/stored-group.ts'
import { ENTERPRISE, patchBody, USER_SCHEMA } from '../../unit/identity/scim/clients.ts'
import { type Directory, directory, MODES } from './directory.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

describe.each(MODES)('in %s mode', (mode) => {
  let acme: Directory
  beforeAll(async () => {
    acme = await directory(local, mode)
  })

  describe('POST /Users', () => {
    test('201: with place, tag and what the schema knows, in its spelling', async () => {
      const body = { USERNAME: 'Case@acme.example', Name: { GivenName: 'Anna' }, shoeSize: 4, id: 'x', meta: { x: 1 } }
      const { status, headers, body: made } = await acme.call(scim.createUser, { body })

      expect(status).toBe(201)
      expect(headers).toMatchObject({
        location: made.meta.location,
        etag: made.meta.version,
        'content-type': 'application/scim+json; charset=utf-8',
      })
      expect(made).toEqual({
        schemas: [USER_SCHEMA],
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        userName: 'Case@acme.example',
        name: { givenName: 'Anna' },
        active: true,
        meta: {
          resourceType: 'User',
          created: expect.any(String),
          lastModified: made.meta.created,
          location: expect.stringMatching(new RegExp(`/api/scim/v2/Users/${made.id}$`)),
          version: expect.stringMatching(/^W\/"[^"]+"$/),
        },
      })
    })

    test('409 uniqueness: a user name is taken in any case, also by the other body', async () => {
      await acme.user({ userName: 'unique@acme.example' })

      expect(await acme.call(scim.createUser, { body: { userName: 'UNIQUE@acme.example' } })).toMatchObject({
        status: 409,
        body: { scimType: 'uniqueness', detail: 'Another resource has this userName already. Use another value.' },
      })
    })

    test('400: what the schema forbids', async () => {
      const refused = async (body: object | string) => {
        const reply = await acme.call(scim.createUser, { body })
        return [reply.status, reply.body.scimType]
      }

      expect(await refused({})).toEqual([400, 'invalidValue'])
      expect(await refused({ userName: '' })).toEqual([400, 'invalidValue'])
      expect(await refused({ userName: 'x', emails: [['a@b.example']] })).toEqual([400, 'invalidValue'])
      expect(await refused({ userName: 'x', active: 'yes' })).toEqual([400, 'invalidValue'])
      expect(await refused('{"userName":')).toEqual([400, 'invalidSyntax'])
      expect(await refused('["userName"]')).toEqual([400, 'invalidSyntax'])
    })

    test('an inactive one is created inactive', async () => {
      expect(await acme.user({ userName: 'asleep@acme.example', active: false })).toMatchObject({ active: false })
    })
  })

  describe('PUT /Users/{id}', () => {
    test('200: clears what is left out, but never the status', async () => {
      const { id } = await acme.user({ userName: 'put@acme.example', title: 'Chief', nickName: 'P', active: false })
      const reply = await acme.call(scim.replaceUser, {
        params: { id },
        body: { userName: 'put@acme.example', title: 'X' },
      })

      expect(reply).toMatchObject({ status: 200, body: { title: 'X', active: false } })
      expect(reply.body.nickName).toBeUndefined()
    })

    test('409 uniqueness: nobody takes the name of somebody else, and a name that was left is free', async () => {
      const { id } = await acme.user({ userName: 'first@acme.example' })
      await acme.user({ userName: 'second@acme.example' })
      const put = (userName: string) => acme.call(scim.replaceUser, { params: { id }, body: { userName } })

      expect(await put('SECOND@acme.example')).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
      expect(await put('third@acme.example')).toMatchObject({ status: 200 })
      expect(await acme.filterUsers('userName eq "first@acme.example"')).toMatchObject({ body: { totalResults: 0 } })
      expect(await acme.user({ userName: 'first@acme.example' })).not.toMatchObject({ id })
      expect(await acme.filterUsers('userName eq "third@acme.example"')).toMatchObject({
        body: { Resources: [{ id }] },
      })
    })

    test('a name may change its case', async () => {
      const { id } = await acme.user({ userName: 'casing@acme.example' })
      const reply = await acme.call(scim.replaceUser, { params: { id }, body: { userName: 'Casing@acme.example' } })

      expect(reply).toMatchObject({ status: 200, body: { userName: 'Casing@acme.example' } })
    })
  })

  describe('PATCH /Users/{id}', () => {
    test('all or nothing: a refused operation leaves what came before it undone', async () => {
      const made = await acme.user({ userName: 'atomic@acme.example', title: 'Chief' })
      const reply = await acme.patchUser(
        made.id,
        patchBody({ op: 'replace', path: 'title', value: 'X' }, { op: 'replace', path: 'shoeSize', value: 4 }),
      )

      expect(reply).toMatchObject({ status: 400, body: { scimType: 'invalidPath' } })
      expect((await acme.call(scim.getUser, { params: { id: made.id } })).body).toEqual(made)
    })

    test('no change keeps version and time', async () => {
      const made = await acme.user({ userName: 'same@acme.example', title: 'Chief' })
      const reply = await acme.patchUser(made.id, patchBody({ op: 'replace', path: 'title', value: 'Chief' }))

      expect(reply).toMatchObject({ status: 200, body: made })
    })

    test('a change gives another version', async () => {
      const made = await acme.user({ userName: 'version@acme.example' })
      const { headers, body } = await acme.patchUser(made.id, patchBody({ op: 'add', path: 'title', value: 'X' }))

      expect(body.meta.version).not.toBe(made.meta.version)
      expect(headers.etag).toBe(body.meta.version)
    })

    test('403 never: a password is neither shown nor searched', async () => {
      const made = await acme.user({ userName: 'secret@acme.example', password: 'correct horse battery' })
      const { body } = await acme.call(scim.getUser, {
        params: { id: made.id },
        query: { attributes: 'password,userName' },
      })

      expect(body).toEqual({ schemas: [USER_SCHEMA], id: made.id, userName: 'secret@acme.example' })
      expect(await acme.filterUsers('password pr')).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } })
    })
  })

  describe('conditions', () => {
    test('412: If-Match with another version; the present one and * are accepted', async () => {
      const made = await acme.user({ userName: 'match@acme.example' })
      const title = (value: string, match: string) =>
        acme.patchUser(made.id, patchBody({ op: 'replace', path: 'title', value }), { 'if-match': match })
      const params = { id: made.id }

      expect(await title('A', 'W/"other"')).toMatchObject({ status: 412, body: { status: '412' } })
      const { status, headers } = await title('A', made.meta.version)
      expect(status).toBe(200)
      expect(await title('B', made.meta.version)).toMatchObject({ status: 412 })
      expect(await title('B', `W/"x", ${headers.etag}`)).toMatchObject({ status: 200 })
      expect(await title('C', '*')).toMatchObject({ status: 200 })
      const stale = { 'if-match': made.meta.version }
      expect(await acme.call(scim.deleteUser, { params, headers: stale })).toMatchObject({ status: 412 })
    })

    test('304: If-None-Match with the present version', async () => {
      const { id, meta } = await acme.user({ userName: 'none-match@acme.example' })
      const read = (tag: string) => acme.call(scim.getUser, { params: { id }, headers: { 'if-none-match': tag } })

      expect(await read(meta.version)).toMatchObject({ status: 304, body: undefined, headers: { etag: meta.version } })
      expect(await read('*')).toMatchObject({ status: 304 })
      expect(await read('W/"other"')).toMatchObject({ status: 200 })
    })
  })

  test('DELETE: 204, then 404 for everything', async () => {
    const { id } = await acme.user({ userName: 'gone@acme.example', externalId: 'gone-1' })
    const params = { id }
    const missing = { status: 404, body: { detail: 'directory user not found' } }

    expect(await acme.call(scim.deleteUser, { params })).toMatchObject({ status: 204, body: undefined })
    expect(await acme.call(scim.deleteUser, { params })).toMatchObject(missing)
    expect(await acme.call(scim.getUser, { params })).toMatchObject(missing)
    expect(await acme.call(scim.replaceUser, { params, body: { userName: 'gone@acme.example' } })).toMatchObject(
      missing,
    )
    expect(await acme.patchUser(id, patchBody({ op: 'add', path: 'title', value: 'X' }))).toMatchObject(missing)
    expect((await acme.filterUsers('externalId eq "gone-1"')).body.totalResults).toBe(0)
    expect((await acme.filterUsers(`id eq "${id}"`)).body.totalResults).toBe(0)
  })

  test('simultaneous changes of one user are all made', async () => {
    const { id } = await acme.user({ userName: 'race@acme.example' })
    const fields = ['title', 'nickName', 'locale']
    const replies = await Promise.all(
      fields.map((path) => acme.patchUser(id, patchBody({ op: 'replace', path, value: 'x' }))),
    )

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await acme.call(scim.getUser, { params: { id } })).body).toMatchObject({
      title: 'x',
      nickName: 'x',
      locale: 'x',
    })
  })

  test('five simultaneous creations of one name make one user', async () => {
    const body = { userName: 'once@acme.example' }
    const statuses = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => (await acme.call(scim.createUser, { body })).status),
    )

    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409])
    expect((await acme.filterUsers('userName eq "once@acme.example"')).body.totalResults).toBe(1)
  })

  test('the total is exact after simultaneous creations and deletions', async () => {
    const total = async () => (await acme.call(scim.listAll, { query: { count: 0 } })).body.totalResults
    const before = await total()
    const people = await Promise.all([1, 2, 3, 4].map((n) => acme.user({ userName: `counted-${n}@acme.example` })))
    const groups = await Promise.all([1, 2].map((n) => acme.group({ displayName: `Counted ${n}` })))
    expect(await total()).toBe(before + 6)

    const [first, second] = [{ params: { id: people[0].id } }, { params: { id: people[1].id } }]
    await acme.patchUser(people[2].id, patchBody({ op: 'replace', path: 'active', value: false }))
    const statuses = await Promise.all([
      ...[first, first, second, second].map(async (one) => (await acme.call(scim.deleteUser, one)).status),
      ...[1, 2].map(async () => (await acme.call(scim.deleteGroup, { params: { id: groups[0].id } })).status),
    ])

    for (const status of statuses) expect([204, 404, 409]).toContain(status)
    expect(await total()).toBe(before + 3)
  })

  test('DELETE: of a member of many groups with many addresses', async () => {
    const emails = Array.from({ length: 20 }, (_, n) => ({ value: `many-${n}@acme.example` }))
    const { id } = await acme.user({ userName: 'many@acme.example', externalId: 'many-1', displayName: 'Many', emails })
    const ctx = systemContext({ tenant_id: acme.tenant.tenant_id, mode })
    const rows = Array.from({ length: 80 }, (_, n) =>
      scimMembers.insert({ ...ctx.space, group_id: `grp_${n}`, value: id, type: 'User' }),
    )
    await ctx.table.commit(rows)

    expect(await acme.call(scim.deleteUser, { params: { id } })).toMatchObject({ status: 204 })
    expect(await ctx.table.get(scimMembers, { ...ctx.space, group_id: 'grp_79', value: id })).toBeUndefined()
  })

  test('keeps an extension whole', async () => {
    const extension = { employeeNumber: '7', manager: { value: 'm-1' } }
    const made = await acme.user({ userName: 'ext@acme.example', [ENTERPRISE]: extension })

    expect(made).toMatchObject({ schemas: [USER_SCHEMA, ENTERPRISE], [ENTERPRISE]: extension })
    expect(await acme.patchUser(made.id, patchBody({ op: 'remove', path: ENTERPRISE }))).toMatchObject({
      body: { schemas: [USER_SCHEMA] },
    })
  })
})

test('what a tenant or a mode has, no other sees', async () => {
  const acme = await directory(local)
  const sandbox = await directory(local, 'test', acme.tenant)
  const other = await directory(local)
  const name = { userName: 'canary@acme.example', externalId: 'canary-1' }
  const { id } = await acme.user(name)
  const { id: group } = await acme.group({ displayName: 'Canaries', members: [{ value: id }] })

  for (const stranger of [sandbox, other]) {
    for (const filter of [
      `userName eq "${name.userName}"`,
      'externalId eq "canary-1"',
      `id eq "${id}"`,
      'userName co "canary"',
    ]) {
      expect((await stranger.filterUsers(filter)).body.totalResults, filter).toBe(0)
    }
    expect(await stranger.call(scim.getUser, { params: { id } })).toMatchObject({ status: 404 })
    expect(await stranger.call(scim.deleteUser, { params: { id } })).toMatchObject({ status: 404 })
    expect(await stranger.call(scim.getGroup, { params: { id: group } })).toMatchObject({ status: 404 })
    expect(await stranger.patchGroup(group, patchBody({ op: 'remove', path: 'members' }))).toMatchObject({
      status: 404,
    })
    expect(JSON.stringify((await stranger.call(scim.listAll)).body)).not.toContain('anary')
    expect(await stranger.user(name)).not.toMatchObject({ id })
  }
})
