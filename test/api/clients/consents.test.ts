// What people of a tenant have allowed clients, as administrators see it.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { authorized, CODE_CLIENT, discovered, followClock, newClient } from '../../support/oauth.ts'
import { type Person, personWith } from '../../support/people.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
let [ada, bob]: (Person | undefined)[] = []
let made: { reporter: string; planner: string }

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
  owner = await signIn(local, acme.owner)
  ;[ada, bob] = [await personWith(local, owner, ['admin']), await personWith(local, owner, ['member'])]
  local.clock.moveTo(local.clock.now() + 60_000) // an OAuth sign-in counts from the second after the one in which they joined
  const [reporter, planner] = [await newClient(acme), await newClient(acme, { ...CODE_CLIENT, name: 'Planner' })]
  made = { reporter: reporter.client_id, planner: planner.client_id }
  await authorized(local, await discovered(local, reporter), ada)
  await authorized(local, await discovered(local, reporter), bob)
  await authorized(local, await discovered(local, planner), ada)
})
afterAll(() => {
  vi.restoreAllMocks()
})

const listed = async (query: Record<string, string> = {}, by: Pick<SignedIn, 'call'> = owner) =>
  (await by.call(clients.listConsents, { query })).body.items as { id: string; client_id: string; user_id: string }[] // its own shape

test('administrators see who has connected what, with what it may do', async () => {
  const shown = await listed()

  expect(shown).toHaveLength(3)
  expect(await listed({ client_id: made.reporter, user_id: String(ada?.user_id) })).toEqual([
    {
      id: expect.any(String),
      client_id: made.reporter,
      client_name: 'Reporter',
      user_id: ada?.user_id,
      scopes: ['openid', 'profile', 'email', 'offline_access', 'governance:read'],
      resources: [local.apiUrl],
      given_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
    },
  ])
})

test('the list can be narrowed to a client or a person, and is read in pages', async () => {
  const ofPlanner = await listed({ client_id: made.planner })
  const ofBob = await listed({ user_id: String(bob?.user_id) })
  const { body: first } = await owner.call(clients.listConsents, { query: { limit: '2' } })
  const { body: rest } = await owner.call(clients.listConsents, { query: { limit: '2', cursor: first.next_cursor } })

  expect(ofPlanner.map(({ user_id }) => user_id)).toEqual([ada?.user_id])
  expect(ofBob.map(({ client_id }) => client_id)).toEqual([made.reporter])
  expect(await listed({ client_id: 'cli_nobody' })).toEqual([])
  expect([...first.items, ...rest.items]).toEqual(await listed())
})

test('it is for people who may see accounts, and of their own tenant', async () => {
  const other = await signIn(local, (await local.tenant()).owner)
  const query = { user_id: String(ada?.user_id) }

  expect(await bob?.call(clients.listConsents)).toMatchObject({ status: 403 })
  expect(await listed({}, other)).toEqual([])
  expect(await listed(query, other)).toEqual([])
  expect(await listed({ client_id: made.reporter }, other)).toEqual([])
})

test('what is ended is no longer listed: one consent, all of a person to a client, or those of a deleted client', async () => {
  const { client_id } = await newClient(acme, { ...CODE_CLIENT, name: 'Passing' })
  const config = await discovered(local, { client_id })
  if (!ada) throw new Error('nobody')
  const { tokens } = await authorized(local, config, ada)
  await authorized(local, config, ada)
  const statusWith = async () => (await acme.as({ key: tokens.access_token }).call(approvals.list)).status
  const [one, another] = await listed({ client_id })
  const params = { id: ada.user_id }

  await owner.call(users.revokeCredentials, { params, body: { kinds: ['oauth_grants'], ids: [one?.id] } })
  expect((await listed({ client_id })).map(({ id }) => id)).toEqual([another?.id])
  await owner.call(users.disconnectApplication, { params: { ...params, client_id } })
  expect([await listed({ client_id }), await statusWith()]).toEqual([[], 401])

  await acme.call(clients.delete, { params: { client_id: made.planner } })
  expect(await listed({ client_id: made.planner })).toEqual([])
})
