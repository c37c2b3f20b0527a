// Every way in which somebody changes an account, by everybody who might, on everybody it might be.
import { beforeAll, describe, expect, test } from 'vitest'
import { mfa } from '../../../functions/mfa/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { sso } from '../../../functions/sso/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { customRoles } from '../../../shared/identity/access/permissions.ts'
import type { Permission } from '../../../shared/base/catalog/permissions.ts'
import { permissionsOfRoles } from '../../../shared/base/catalog/permissions.ts'
import { type Context, systemContext } from '../../../shared/base/context.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { createAccount } from '../../../shared/identity/users/create-account.ts'
import type { User } from '../../../shared/identity/accounts/user.ts'
import { patchBody } from '../../unit/identity/scim/clients.ts'
import { restricted } from '../../support/any-route.ts'
import { showFactor } from '../../support/factors.ts'
import type { Call, Reply } from '../../support/call.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { freshAddress, personWith } from '../../support/people.ts'
import { ownerInPerson } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let ctx: Context
const calls: Record<string, Call> = {}

/** A role of the tenant that looks after accounts and can do nothing else. */
const DESK: Permission[] = ['users:read', 'users:write', 'roles:write']

beforeAll(async () => {
  acme = await local.tenant()
  ctx = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
  const at = '2026-11-20T00:00:00.000Z'
  const desk = { tenant_id: acme.tenant_id, name: 'desk', description: '', permissions: DESK }
  await ctx.table.commit([customRoles.insert({ ...desk, created_at: at, updated_at: at })])
  const owner = await ownerInPerson(local, acme)
  const person = async (role: string) => showFactor(local, await personWith(local, owner, [role]))
  const [admin, clerk] = [await person('admin'), await person('desk')]
  calls.owner = owner.call
  calls.admin = admin.call
  calls.desk = clerk.call
  calls['key of an owner'] = acme.call
  const cap = [...permissionsOfRoles(['admin'])]
  calls['key of an admin'] = acme.as({ key: await makeKey(acme, { created_by: admin.user_id, cap }) }).call
})

const TARGETS = ['owner', 'admin', 'billing', 'developer', 'member', 'desk'] as const
type Target = (typeof TARGETS)[number]

/**
 * `take`: the actor could make the account their own by it, or let its person in. `directory`: the actor is one. `password`: so,
 * and the account then opens with a password that the directory knows.
 */
type Kind = 'take' | 'end' | 'directory' | 'password'

/** Whom each actor reaches. */
const REACH: Record<string, Record<Kind, readonly Target[]>> = {
  owner: { take: TARGETS, end: TARGETS, directory: [], password: [] },
  admin: {
    take: ['admin', 'developer', 'member', 'desk'],
    end: ['admin', 'developer', 'member', 'desk'],
    directory: [],
    password: [],
  },
  desk: { take: ['desk'], end: ['desk'], directory: [], password: [] },
  'key of an owner': {
    take: [],
    end: ['admin', 'billing', 'developer', 'member', 'desk'],
    directory: ['admin', 'billing', 'developer', 'member', 'desk'],
    password: ['member'],
  },
  'key of an admin': {
    take: [],
    end: ['admin', 'developer', 'member', 'desk'],
    directory: ['admin', 'developer', 'member', 'desk'],
    password: ['member'],
  },
}

type Act = {
  name: string
  kind: Kind
  route: Route
  status?: 'invited' | 'suspended'
  run: (call: Call, user: User) => Promise<Reply>
}

const named = ({ id }: User) => ({ params: { id } })
const patch = (route: Route, name: string, kind: Kind, body: () => object, status?: 'suspended'): Act => ({
  name,
  kind,
  route,
  ...(status && { status }),
  run: (call, user) => call(route as typeof users.update, { ...named(user), body: body() }),
})
const replace = (path: string, value: unknown) => patchBody({ op: 'replace', path, value })
const byScim = (name: string, body: () => object, status?: 'suspended') =>
  patch(scim.patchUser, `SCIM PATCH ${name}`, 'directory', body, status)

const ACTS: Act[] = [
  patch(users.update, 'PATCH name', 'end', () => ({ name: 'Renamed' })),
  patch(users.update, 'PATCH suspended', 'end', () => ({ status: 'suspended' })),
  patch(users.update, 'PATCH active', 'take', () => ({ status: 'active' }), 'suspended'),
  patch(users.update, 'PATCH locked', 'take', () => ({ locked: false })),
  patch(users.update, 'PATCH email', 'take', () => ({ email: freshAddress() })),
  { name: 'DELETE', kind: 'end', route: users.delete, run: (call, user) => call(users.delete, named(user)) },
  {
    name: 'PUT roles',
    kind: 'end',
    route: users.setRoles,
    run: (call, user) => {
      const body = user.roles.includes('owner') ? { roles: ['member'] } : { roles: user.roles, denies: ['work:write'] }
      return call(users.setRoles, { ...named(user), body })
    },
  },
  {
    name: 'DELETE sessions',
    kind: 'end',
    route: users.deleteSessions,
    run: (call, user) => call(users.deleteSessions, named(user)),
  },
  {
    name: 'POST credentials/revoke',
    kind: 'end',
    route: users.revokeCredentials,
    run: (call, user) => call(users.revokeCredentials, { ...named(user), body: { kinds: ['sessions'] } }),
  },
  {
    name: 'DELETE application',
    kind: 'end',
    route: users.disconnectApplication,
    run: (call, { id }) => call(users.disconnectApplication, { params: { id, client_id: 'missing' } }),
  },
  { name: 'DELETE mfa', kind: 'take', route: mfa.reset, run: (call, user) => call(mfa.reset, named(user)) },
  { name: 'DELETE sso-link', kind: 'take', route: sso.unlink, run: (call, user) => call(sso.unlink, named(user)) },
  {
    name: 'POST invitation again',
    kind: 'take',
    route: users.invite,
    status: 'invited',
    run: (call, user) => call(users.invite, { body: { email: user.email, roles: ['desk'] } }),
  },
  byScim('active: false', () => replace('active', false)),
  byScim('active: true', () => replace('active', true), 'suspended'),
  patch(scim.patchUser, 'SCIM PATCH password', 'password', () => replace('password', 'a different horse entirely')),
  byScim('userName', () => replace('userName', freshAddress())),
  byScim('emails', () => replace('emails', [{ value: freshAddress(), primary: true }])),
  {
    name: 'SCIM PUT',
    kind: 'directory',
    route: scim.replaceUser,
    run: (call, user) => call(scim.replaceUser, { ...named(user), body: { userName: freshAddress() } }),
  },
  {
    name: 'SCIM DELETE',
    kind: 'directory',
    route: scim.deleteUser,
    run: (call, user) => call(scim.deleteUser, named(user)),
  },
]

/** Somebody who is neither the last owner nor one of the actors. */
const somebody = (role: Target, status: 'active' | 'invited' | 'suspended' = 'active') =>
  createAccount(ctx, {
    email: freshAddress(),
    name: role,
    roles: [role],
    source: 'invite',
    status,
    verified_by: 'person',
    also: async () => ({}),
  })

describe.each(Object.entries(REACH))('%s', (actor, reach) => {
  test.each(ACTS.filter(({ kind }) => kind === 'take' || kind === 'end' || reach.directory.length > 0))(
    '$name',
    async ({ run, kind, status }) => {
      const call = calls[actor] ?? local.call
      const wrong: string[] = []
      for (const role of TARGETS) {
        const reply = await run(call, await somebody(role, status))
        const may = reach[kind].includes(role)
        // A tie or an application that is not there is a 404, after the question who asks.
        if ((reply.status !== 403) !== may || (may && reply.status >= 400 && reply.status !== 404)) {
          wrong.push(`${role}: ${reply.status} ${JSON.stringify(reply.body)}`)
        }
      }

      expect(wrong).toEqual([])
    },
  )
})

test('the matrix knows every row that changes somebody’s account', () => {
  const ofAccount = ({ path }: Route) => /^\/api\/(v1\/users|scim\/v2\/Users)\/\{id\}/.test(path)
  const rows: Route[] = [...restricted, ...Object.values(scim)].filter(
    (route) => ofAccount(route) && route.method !== 'GET',
  )
  // To vouch for an account takes somebody who is independent of it, whatever their rank: see confirm.test.ts.
  const known = new Set([...ACTS.map(({ route }) => route.id), users.confirm.id])

  expect(rows.length).toBeGreaterThan(8)
  expect(rows.filter((route) => !known.has(route.id)).map((route) => route.id)).toEqual([])
})
