import { beforeAll, describe, expect, test } from 'vitest'
import { scim } from '../../../functions/scim/routes.ts'
import { GROUP_SCHEMA, okta, patchBody } from '../../unit/identity/scim/clients.ts'
import { type Directory, directory, inOrder, MODES } from './directory.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

const valuesOf = ({ members = [] }: { members?: { value: string }[] }) => members.map(({ value }) => value).toSorted()

describe.each(MODES)('in %s mode', (mode) => {
  let acme: Directory
  let [anna, bo, cy] = ['', '', '']
  beforeAll(async () => {
    acme = await directory(local, mode)
    const made = await Promise.all(['anna', 'bo', 'cy'].map((name) => acme.user({ userName: `${name}@acme.example` })))
    ;[anna = '', bo = '', cy = ''] = made.map(({ id }) => id)
  })
  const group = (...ids: string[]) => acme.group({ displayName: 'Team', members: ids.map((value) => ({ value })) })
  const members = async (id: string) => valuesOf((await acme.call(scim.getGroup, { params: { id } })).body)
  const change = async (id: string, ...operations: object[]) => acme.patchGroup(id, patchBody(...operations))

  test('201: with place, tag and its members', async () => {
    const body = { displayName: 'Team', externalId: 'T-1', members: [{ value: anna, display: 'Anna' }], shoeSize: 4 }
    const { status, headers, body: made } = await acme.call(scim.createGroup, { body })

    expect({ status, headers }).toMatchObject({
      status: 201,
      headers: { location: made.meta.location, etag: made.meta.version },
    })
    const $ref = expect.stringMatching(new RegExp(`/Users/${anna}$`))
    expect(made).toEqual({
      schemas: [GROUP_SCHEMA],
      id: expect.stringMatching(/^grp_/),
      displayName: 'Team',
      externalId: 'T-1',
      members: [{ value: anna, $ref, type: 'User', display: 'Anna' }],
      meta: expect.objectContaining({ resourceType: 'Group', version: 'W/"1"' }),
    })
  })

  test('several groups may have one name', async () => {
    const [first, second] = [await acme.group({ displayName: 'Twins' }), await acme.group({ displayName: 'TWINS' })]
    const { body } = await acme.filterGroups('displayName eq "twins"')

    expect(inOrder(body.Resources.map(({ id }: { id: string }) => id))).toEqual(inOrder([first.id, second.id]))
  })

  test.each<[string, (ids: { id: string }) => object[], () => string[]]>([
    ['adds', () => [{ op: 'add', path: 'members', value: [{ value: cy }] }], () => [anna, bo, cy]],
    ['adds one object', () => [{ op: 'add', path: 'members', value: { value: cy } }], () => [anna, bo, cy]],
    ['adds without a path', () => [{ op: 'add', value: { members: [{ value: cy }] } }], () => [anna, bo, cy]],
    [
      'adds nobody twice',
      () => [{ op: 'add', path: 'members', value: [{ value: anna }, { value: cy }, { value: cy }] }],
      () => [anna, bo, cy],
    ],
    ['removes by filter', () => [{ op: 'remove', path: `members[value eq "${anna}"]` }], () => [bo]],
    [
      'removes several by filter',
      () => [{ op: 'remove', path: `members[value eq "${anna}" or value eq "${bo}"]` }],
      () => [],
    ],
    ['removes by list', () => [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: anna }] }], () => [bo]],
    ['removes all', () => [{ op: 'remove', path: 'members' }], () => []],
    ['removes by another filter', () => [{ op: 'remove', path: 'members[type eq "User"]' }], () => []],
    ['removes nobody who is no member', () => [{ op: 'remove', path: `members[value eq "${cy}"]` }], () => [anna, bo]],
    ['replaces', () => [{ op: 'replace', path: 'members', value: [{ value: bo }, { value: cy }] }], () => [bo, cy]],
    ['replaces without a path', () => [{ op: 'replace', value: { members: [{ value: cy }] } }], () => [cy]],
    ['replaces by nobody', () => [{ op: 'replace', path: 'members', value: [] }], () => []],
    [
      'does one after the other',
      () => [
        { op: 'remove', path: 'members' },
        { op: 'add', path: 'members', value: [{ value: anna }] },
        { op: 'add', path: 'members', value: [{ value: cy }] },
        { op: 'remove', path: `members[value eq "${anna}"]` },
      ],
      () => [cy],
    ],
  ])('PATCH %s', async (_, operations, expected) => {
    const { id } = await group(anna, bo)
    const reply = await change(id, ...operations({ id }))

    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    expect(valuesOf(reply.body)).toEqual(expected().toSorted())
    expect(await members(id)).toEqual(expected().toSorted())
  })

  test('PATCH changes name and members together, or nothing', async () => {
    const { id, meta } = await group(anna)
    const name = { op: 'replace', path: 'displayName', value: 'Renamed' }
    const add = { op: 'add', path: 'members', value: [{ value: bo }] }

    expect(await change(id, name, add, { op: 'remove', path: 'displayName' })).toMatchObject({
      status: 400,
      body: { scimType: 'mutability' },
    })
    expect((await acme.call(scim.getGroup, { params: { id } })).body).toMatchObject({ displayName: 'Team', meta })
    expect(await members(id)).toEqual([anna])
    expect((await change(id, name, add)).body).toMatchObject({ displayName: 'Renamed', meta: { version: 'W/"2"' } })
  })

  test.each([
    ['mutability', { op: 'replace', path: 'members[value eq "x"].display', value: 'X' }],
    ['mutability', { op: 'replace', path: 'members[value eq "x"]', value: { value: 'y' } }],
    ['mutability', { op: 'replace', path: 'id', value: 'x' }],
    ['mutability', { op: 'replace', path: 'displayName', value: null }],
    ['invalidValue', { op: 'replace', path: 'displayName', value: ' ' }],
    ['invalidValue', { op: 'add', path: 'members', value: [{ display: 'nobody' }] }],
    ['invalidValue', { op: 'add', path: 'members', value: [{ value: 'a b#c' }] }],
    ['invalidPath', { op: 'replace', path: 'owner', value: 'x' }],
    ['noTarget', { op: 'remove' }],
  ])('400 %s: %j', async (scimType, operation) => {
    const { id } = await group(anna)

    expect(await change(id, operation)).toMatchObject({ status: 400, body: { scimType } })
    expect(await members(id)).toEqual([anna])
  })

  test('PUT replaces name and members, and clears what it leaves out', async () => {
    const { id } = await acme.group({
      displayName: 'Team',
      externalId: 'T-2',
      members: [{ value: anna }, { value: bo }],
    })
    const put = (body: object, headers = {}) => acme.call(scim.replaceGroup, { params: { id }, body, headers })
    const reply = await put({ displayName: 'Squad', members: [{ value: bo }, { value: cy }] })

    expect(reply).toMatchObject({ status: 200, body: { displayName: 'Squad' } })
    expect(reply.body.externalId).toBeUndefined()
    expect(valuesOf(reply.body)).toEqual([bo, cy].toSorted())
    expect((await put(reply.body)).body).toEqual(reply.body)
    expect((await put({ displayName: 'Squad' })).body.members).toEqual([])
    expect(await put({})).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    expect(await put({ displayName: 'X' }, { 'if-match': 'W/"1"' })).toMatchObject({ status: 412 })
    expect((await acme.filterGroups('externalId eq "T-2"')).body.totalResults).toBe(0)
  })

  test('a user shows their groups, which nobody writes there', async () => {
    const [{ id: dan }, one, two] = [await acme.user({ userName: `dan-${mode}` }), await group(), await group()]
    await change(one.id, { op: 'add', path: 'members', value: [{ value: dan }] })
    await change(two.id, { op: 'add', path: 'members', value: [{ value: dan }] })
    const { body } = await acme.call(scim.getUser, { params: { id: dan } })

    expect(valuesOf({ members: body.groups })).toEqual(inOrder([one.id, two.id]))
    const refused = await acme.patchUser(dan, patchBody({ op: 'remove', path: 'groups' }))
    expect(refused).toMatchObject({ status: 400, body: { scimType: 'mutability' } })
    await acme.call(scim.deleteUser, { params: { id: dan } })
    expect(await members(one.id)).toEqual([])
  })

  test('keeps a group inside a group, and a member that nobody knows', async () => {
    const inner = await group(anna)
    const outer = await group(inner.id, 'unknown-1')
    const { body } = await acme.call(scim.getGroup, { params: { id: outer.id } })

    expect(body.members).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ value: inner.id, type: 'Group', $ref: inner.meta.location }),
        expect.objectContaining({ value: 'unknown-1', type: 'User' }),
      ]),
    )
    expect((await acme.call(scim.getUser, { params: { id: anna } })).body.groups).not.toContainEqual(
      expect.objectContaining({ value: outer.id }),
    )
  })

  test('304, 412: versions of groups', async () => {
    const { id, meta } = await group(anna)
    const read = (tag: string) => acme.call(scim.getGroup, { params: { id }, headers: { 'if-none-match': tag } })

    expect(await read(meta.version)).toMatchObject({ status: 304 })
    await change(id, { op: 'add', path: 'members', value: [{ value: bo }] })
    expect(await read(meta.version)).toMatchObject({ status: 200, headers: { etag: 'W/"2"' } })
    const stale = { 'if-match': meta.version }
    expect(await acme.call(scim.deleteGroup, { params: { id }, headers: stale })).toMatchObject({ status: 412 })
    expect(await acme.call(scim.deleteGroup, { params: { id }, headers: { 'if-match': 'W/"2"' } })).toMatchObject({
      status: 204,
    })
  })

  test('simultaneous changes of one group are all made', async () => {
    const { id } = await group()
    const replies = await Promise.all(
      [anna, bo, cy].map((value) => change(id, { op: 'add', path: 'members', value: [{ value }] })),
    )

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await members(id)).toEqual([anna, bo, cy].toSorted())
  })

  test('DELETE: 204, then 404, and its name finds nothing', async () => {
    const { id } = await acme.group({ ...okta.group('To delete'), members: [{ value: anna }] })
    const params = { id }

    expect(await acme.call(scim.deleteGroup, { params })).toMatchObject({ status: 204 })
    expect(await acme.call(scim.getGroup, { params })).toMatchObject({
      status: 404,
      body: { detail: 'directory group not found' },
    })
    expect(await acme.call(scim.deleteGroup, { params })).toMatchObject({ status: 404 })
    expect(await change(id, { op: 'remove', path: 'members' })).toMatchObject({ status: 404 })
    expect((await acme.filterGroups('displayName eq "to delete"')).body.totalResults).toBe(0)
  })
})
