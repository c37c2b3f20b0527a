// What directories of customers look like: ten thousand people, groups of five thousand.
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { scim } from '../../../functions/scim/routes.ts'
import type { ClientPlugin } from '../../../shared/base/aws/clients.ts'
import { type Context, type Space, systemContext } from '../../../shared/base/context.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { keyWrites } from '../../../shared/identity/scim/filter/keys.ts'
import { USER } from '../../../shared/identity/scim/resource-type.ts'
import { groupPartition, scimMembers } from '../../../shared/identity/scim/groups/stored-group.ts'
import { scimUsers, storedText } from '../../../shared/identity/scim/users/user.ts'
import { claimUserName } from '../../../shared/identity/scim/users/fields.ts'
import { headCountWrite } from '../../../shared/identity/accounts/head-count.ts'
import { emailHash, emails, NEW_USER, users } from '../../../shared/identity/accounts/user.ts'
import type { Write } from '../../../shared/base/table/entity.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { entra } from '../../unit/identity/scim/clients.ts'
import { type Directory, directory } from './directory.ts'

const PEOPLE = 10_000
const MEMBERS = 5_000

/** Calls of the database that speak of this tenant's data: reads and commits. */
let calls: { name: string; input: object }[] = []

type Next = (args: { input: object }) => Promise<object>
const record: ClientPlugin = (client) => {
  const middleware =
    (next: Next, { commandName = '' }: { commandName?: string }) =>
    (args: { input: object }) => {
      calls.push({ name: commandName.replace(/Command$/, ''), input: args.input })
      return next(args)
    }
  client.middlewareStack.use({
    applyToStack: (stack: { add: (added: typeof middleware, options: object) => void }) =>
      stack.add(middleware, { step: 'initialize', name: 'record' }),
  })
}

const local = useLocalStack({ plugins: [record] })
let acme: Directory
let space: Space
let group: string

beforeAll(async () => {
  acme = await directory(local)
  space = { tenant_id: acme.tenant.tenant_id, mode: 'live' }
  group = (await acme.group({ displayName: 'Everybody' })).id
  const ctx = systemContext(space)
  await store(ctx, await people(ctx))
  await store(ctx, [headCountWrite(space, 'users', 'person', PEOPLE)])
  await store(ctx, memberships())
})
beforeEach(() => {
  calls = []
})

const idOf = (n: number) => `person-${String(n).padStart(5, '0')}`

/** As a directory would have created them, without the pool. Every second one came by invitation, so has no resource. */
async function people(ctx: Context): Promise<Write[]> {
  const at = iso(ctx.now())
  const all = Array.from({ length: PEOPLE }, async (_, n) => {
    const [id, userName] = [idOf(n), `${idOf(n)}@acme.example`]
    const account = { ...NEW_USER, ...space, id, username: id, email: userName, email_verified: true, name: id }
    const reservation = { tenant_id: space.tenant_id, username: id, user_id: id, state: 'complete' as const }
    const resource = { userName, displayName: id, externalId: `ext-${n}`, emails: [{ value: userName }] }
    return [
      users.insert({ ...account, roles: ['member'], status: 'active', source: 'scim', created_at: at, updated_at: at }),
      emails.insert({ ...reservation, email_hash: emailHash(userName), last_sign_in_at: null, created_at: at }),
      ...(n % 2 === 0
        ? [
            scimUsers.insert({ ...space, id, resource: storedText(resource, 'live'), created_at: at, updated_at: at }),
            await claimUserName(ctx, userName, id),
            ...keyWrites(space, USER, id, {}, resource),
          ]
        : []),
    ]
  })
  return (await Promise.all(all)).flat()
}

const memberships = (): Write[] =>
  Array.from({ length: MEMBERS }, (_, n) =>
    scimMembers.insert({ ...space, group_id: group, value: idOf(n), type: 'User' as const }),
  )

async function store({ table }: Context, writes: readonly Write[]): Promise<void> {
  for (let from = 0; from < writes.length; from += 100) await table.commit(writes.slice(from, from + 100))
}

const READS = ['GetItem', 'BatchGetItem', 'Query']
/** Reads beside those that every request makes: of the key, the tenant and the rate windows. */
const ownReads = () =>
  calls.filter(({ name, input }) => READS.includes(name) && !/APIKEY#|#RL"|"TENANT"/.test(JSON.stringify(input)))
const commits = () => calls.filter(({ name }) => name === 'TransactWriteItems')
const itemsOf = (commit: { input: object } | undefined) =>
  (commit?.input as { TransactItems: object[] } | undefined)?.TransactItems.length

test.each([
  ['with a resource', 7_770],
  ['without one', 7_771],
])('userName eq finds one of 10,000 %s in three reads', async (_, n) => {
  const { body } = await acme.filterUsers(`userName eq "${idOf(n).toUpperCase()}@acme.example"`)

  expect(body).toMatchObject({ totalResults: 1, Resources: [{ id: idOf(n) }] })
  expect(ownReads().length).toBeLessThanOrEqual(3)
})

test('userName eq of nobody takes one read', async () => {
  expect((await acme.filterUsers('userName eq "nobody@acme.example"')).body.totalResults).toBe(0)
  expect(ownReads().length).toBeLessThanOrEqual(1)
})

test.each([
  ['with a resource', 7_770],
  ['without one', 7_771],
])('emails.value eq and displayName eq find one of 10,000 %s in four reads', async (_, n) => {
  for (const filter of [`emails.value eq "${idOf(n).toUpperCase()}@acme.example"`, `displayName eq "${idOf(n)}"`]) {
    calls = []
    const { body } = await acme.filterUsers(filter)

    expect(body, filter).toMatchObject({ totalResults: 1, Resources: [{ id: idOf(n) }] })
    expect(ownReads().length, filter).toBeLessThanOrEqual(4)
  }
})

test('externalId eq, id eq and a single user take three reads', async () => {
  expect((await acme.filterUsers('externalId eq "ext-4242"')).body.Resources).toMatchObject([{ id: idOf(4_242) }])
  expect(ownReads().length).toBeLessThanOrEqual(3)
  calls = []
  expect((await acme.filterUsers(`id eq "${idOf(11)}"`)).body.totalResults).toBe(1)
  expect(ownReads().length).toBeLessThanOrEqual(3)
  calls = []
  expect(await acme.call(scim.getUser, { params: { id: idOf(11) } })).toMatchObject({ status: 200 })
  expect(ownReads().length).toBeLessThanOrEqual(2)
})

test('pages reach the end of the directory, and nobody is counted one by one', async () => {
  const { body } = await acme.call(scim.listUsers, { query: { startIndex: 9_901, count: 1_000 } })

  // The founder and the approver of the tenant were there first.
  expect(body).toMatchObject({ totalResults: PEOPLE + 2, startIndex: 9_901, itemsPerPage: 102 })
  expect(calls.filter(({ input }) => JSON.stringify(input).includes('"COUNT"'))).toEqual([])
})

test('400 tooMany: a scan of more than 10,000', async () => {
  const reply = await acme.filterUsers('displayName co "person"')

  expect(reply).toMatchObject({ status: 400, body: { scimType: 'tooMany' } })
})

test('adding one member to 5,000 is one transaction of at most 8 items and reads none of the others', async () => {
  const { status } = await acme.call(scim.patchGroup, {
    params: { id: group },
    query: { excludedAttributes: 'members' },
    body: entra.addMember(idOf(9_999)),
  })

  expect(status).toBe(200)
  expect(commits()).toHaveLength(1)
  expect(itemsOf(commits()[0])).toBeLessThanOrEqual(8)
  expect(
    calls.filter(({ name, input }) => name === 'Query' && JSON.stringify(input).includes(groupPartition(space, group))),
  ).toEqual([])
})

test('a member of a group that gives roles, too', async () => {
  const { groupMappings } = await import('../../../shared/identity/scim/groups/group-mapping.ts')
  const { table } = systemContext(space)
  const group_roles = [{ group: 'Everybody', role: 'approver' }]
  await table.commit([groupMappings.insert({ tenant_id: space.tenant_id, group_roles })])
  calls = []
  const query = { excludedAttributes: 'members' }
  const reply = await acme.call(scim.patchGroup, { params: { id: group }, query, body: entra.addMember(idOf(9_998)) })

  expect(reply.status).toBe(200)
  expect(commits().map(itemsOf)).toEqual([8])
  expect(await table.get(users, { ...space, id: idOf(9_998) })).toMatchObject({ group_roles: ['approver'] })
})

test('a group is read without its members, and with all of them', async () => {
  const without = await acme.call(scim.getGroup, { params: { id: group }, query: { excludedAttributes: 'members' } })
  expect(ownReads()).toHaveLength(1)
  const { body } = await acme.call(scim.getGroup, { params: { id: group } })

  expect(without.body.members).toBeUndefined()
  expect(body.members).toHaveLength(MEMBERS + 2)
})

test('5,000 members are replaced by PUT', async () => {
  const { body } = await acme.group({ displayName: 'Replaced' }).then(({ id }) =>
    acme.call(scim.replaceGroup, {
      params: { id },
      body: { displayName: 'Replaced', members: Array.from({ length: MEMBERS }, (_, n) => ({ value: idOf(n) })) },
    }),
  )

  expect(body.members).toHaveLength(MEMBERS)
  expect(Math.max(...commits().map((commit) => itemsOf(commit) ?? 0))).toBeLessThanOrEqual(100)
})
