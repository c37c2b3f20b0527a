// Hostile texts in every place of a directory's bodies, and processes that die half-way.
import { beforeAll, expect, test } from 'vitest'
import { scim } from '../../../functions/scim/routes.ts'
import { faults } from '../../support/faults.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { ATTACK_STRINGS, ATTACKS_ON_QUERIES } from '../../security/corpus.ts'
import { ENTERPRISE, patchBody } from '../../unit/identity/scim/clients.ts'
import { type Directory, directory, inOrder } from './directory.ts'

const database = faults()

const local = useLocalStack({ plugins: [database.plugin] })
let acme: Directory

beforeAll(async () => {
  acme = await directory(local, 'test')
})

const ATTACKS = [...new Set([...ATTACK_STRINGS, ...ATTACKS_ON_QUERIES, '__proto__', 'constructor', '#', 'a#b'])]

test('no text breaks a user, and what was accepted is shown as it was sent', async () => {
  for (const [n, attack] of ATTACKS.entries()) {
    const body = {
      userName: `u${n}${attack}`,
      externalId: attack,
      displayName: attack,
      emails: [{ value: attack, type: attack }],
      [ENTERPRISE]: { manager: attack, department: attack },
    }
    const { status, body: made } = await acme.call(scim.createUser, { body })

    expect([201, 400, 413], JSON.stringify(attack).slice(0, 60)).toContain(status)
    if (status === 201) expect(made).toMatchObject({ userName: body.userName, displayName: attack })
  }
})

test('no text breaks a filter, a path, a value or a choice of attributes', async () => {
  const { id } = await acme.user({ userName: 'target' })
  const { id: group } = await acme.group({ displayName: 'Target' })
  for (const attack of ATTACKS.filter(({ length }) => length < 2_000)) {
    const quoted = JSON.stringify(attack)
    const replies = [
      await acme.filterUsers(attack),
      await acme.filterUsers(`displayName eq ${quoted}`),
      await acme.filterUsers(`userName eq ${quoted} or emails[value co ${quoted}].type eq ${quoted}`),
      await acme.call(scim.listAll, { query: { attributes: attack, startIndex: attack, count: 1 } }),
      await acme.patchUser(id, patchBody({ op: attack, path: attack, value: attack })),
      await acme.patchUser(id, patchBody({ op: 'replace', path: attack, value: attack })),
      await acme.patchUser(id, patchBody({ op: 'replace', path: `emails[value eq ${quoted}].display`, value: attack })),
      await acme.patchUser(id, patchBody({ op: 'replace', value: { [attack || 'x']: attack } })),
      await acme.patchGroup(group, patchBody({ op: 'add', path: 'members', value: [{ value: attack }] })),
      await acme.patchGroup(group, patchBody({ op: 'remove', path: `members[value eq ${quoted}]` })),
    ]

    for (const { status } of replies) expect([200, 400], quoted.slice(0, 60)).toContain(status)
  }
  expect('polluted' in {}).toBe(false)
})

test('400: nothing grows without an end', async () => {
  const { id } = await acme.user({ userName: 'grows@acme.example' })
  const add = (n: number) =>
    acme.patchUser(id, patchBody({ op: 'add', path: 'emails', value: [{ value: `${n}${'x'.repeat(100_000)}` }] }))
  const long = 'x'.repeat(1_001)
  const refused = { status: 400, body: { scimType: 'invalidValue' } }

  expect([(await add(1)).status, (await add(2)).status]).toEqual([200, 200])
  expect(await add(3)).toMatchObject(refused)
  expect(await acme.call(scim.createGroup, { body: { displayName: long } })).toMatchObject(refused)
  const members = [{ value: 'a', display: long }]
  expect(await acme.call(scim.createGroup, { body: { displayName: 'Long', members } })).toMatchObject(refused)
})

test('a deletion that broke off is finished by the next', async () => {
  for (const at of [1, 2, 3]) {
    const name = `dies-${at}`
    const { id } = await acme.user({ userName: name, externalId: name })
    const { id: group } = await acme.group({ displayName: name, members: [{ value: id }] })
    database.die({ at, command: 'TransactWriteItemsCommand', lost: at === 2 })
    await acme.call(scim.deleteUser, { params: { id } })
    database.restart()
    await acme.call(scim.deleteUser, { params: { id } })

    expect(await acme.call(scim.getUser, { params: { id } })).toMatchObject({ status: 404 })
    expect((await acme.call(scim.getGroup, { params: { id: group } })).body.members).toEqual([])
    expect(await acme.user({ userName: name, externalId: name })).not.toMatchObject({ id })
  }
})

test('a long change of members that broke off is finished by the next', async () => {
  const members = Array.from({ length: 130 }, (_, n) => ({ value: `member-${String(n).padStart(3, '0')}` }))
  const { id } = await acme.group({ displayName: 'Long', members: [{ value: 'former' }] })
  const put = () => acme.call(scim.replaceGroup, { params: { id }, body: { displayName: 'Long', members } })
  for (const at of [2, 1]) {
    database.die({ at, command: 'TransactWriteItemsCommand', lost: true })
    await put()
    database.restart()
  }
  const { status, body } = await put()

  expect(status).toBe(200)
  expect(inOrder(body.members.map(({ value }: { value: string }) => value))).toEqual(members.map(({ value }) => value))
})
