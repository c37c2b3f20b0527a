// Every change by which somebody else could sign in as, decide as, or be asked for less than a person, by everybody who is not
// there in person: it changes nothing, and says what to do.
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { allowlist } from '../../../functions/allowlist/routes.ts'
import { approvals } from '../../../functions/approvals/routes.ts'
import { auth } from '../../../functions/auth/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { domains } from '../../../functions/domains/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { kms } from '../../../functions/kms/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { roles } from '../../../functions/roles/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { sso } from '../../../functions/sso/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { permissionsOfRoles } from '../../../shared/base/catalog/permissions.ts'
import { type Context, systemContext } from '../../../shared/base/context.ts'
import { tenants as tenantItems } from '../../../shared/base/tenant/tenant.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { keysPartition, apiKeys } from '../../../shared/identity/access/api-key.ts'
import { customRoles, freshCustomRoles, permissionsOfUser } from '../../../shared/identity/access/permissions.ts'
import { type User, users as accounts, usersPartition } from '../../../shared/identity/accounts/user.ts'
import { allFactorsOf } from '../../../shared/identity/mfa/factor.ts'
import { clientsPartition, oauthClients } from '../../../shared/identity/oauth/clients/client.ts'
import { API_SCOPES } from '../../../shared/identity/oauth/scopes.ts'
import { ssoConfigurations } from '../../../shared/identity/sso/settings/configuration.ts'
import { createAccount } from '../../../shared/identity/users/create-account.ts'
import { bodyOf } from '../../support/any-route.ts'
import type { Call, Reply } from '../../support/call.ts'
import { enrolTotp, showFactor } from '../../support/factors.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { authorized, CODE_CLIENT, discovered, followClock, MACHINE, newClient } from '../../support/oauth.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { freshAddress, personWith } from '../../support/people.ts'
import { ownerInPerson, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let ctx: Context
let boss: Call
const calls: Record<string, Call> = {}
/** What the changes are made to. */
const at: Record<string, string> = {}

const NOT_IN_PERSON = ['person_required', 'forbidden'] // forbidden: the scopes give no such permission at all
/** Everybody who could be somebody else, and with which codes they are refused. */
const ACTORS: Record<string, readonly string[]> = {
  'a key of scope admin': NOT_IN_PERSON,
  'a service key': NOT_IN_PERSON,
  'a service key whose maker was removed': NOT_IN_PERSON,
  'an OAuth client with all scopes': NOT_IN_PERSON,
  'an OAuth client of an owner with all scopes': NOT_IN_PERSON,
  'an owner with an old factor': ['factor_required'],
  'an owner without a factor': ['enrolment_required'],
}

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
  ctx = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
  boss = (await ownerInPerson(local, acme)).call
  await makeTargets()
  await makeActors()
})
afterAll(() => {
  vi.restoreAllMocks()
})

async function makeTargets() {
  const account = async (name: string, over: Partial<User> = {}) => {
    const email = `${name}@targets.example`
    const made = { email, name, roles: ['approver'], source: 'invite', status: 'active', email_verified: true } as const
    const user = await createAccount(ctx, { ...made, roles: [...made.roles] })
    await ctx.table.commit([accounts.replace({ ...user, ...over }, user)])
    at[name] = user.id
  }
  await account('approver')
  await account('member', { roles: ['member'] })
  await account('suspended', { status: 'suspended' })
  await account('locked', { locked_until: '2099-01-01T00:00:00.000Z' })
  await account('invited', { status: 'invited', invitation: { by: acme.owner.id } })
  await account('denied', { denies: ['approvals:decide'] })
  await enrolTotp(local, await signIn(local, acme.approver))
  at.factors = acme.approver.id
  const when = '2026-11-20T00:00:00.000Z'
  const own = { tenant_id: acme.tenant_id, name: 'own', description: '', permissions: [], created_at: when }
  await ctx.table.commit([customRoles.insert({ ...own, updated_at: when })])
  at.client = (await newClient({ call: boss }, CODE_CLIENT)).client_id
  at.admin_key = (await boss(keys.create, { body: { name: 'k', kind: 'live', scopes: ['admin'] } })).body.id
  const params = { tenant_id: acme.tenant_id }
  at.network = (await boss(allowlist.create, { params, body: { cidr: '127.0.0.0/8' } })).body.id
}

async function makeActors() {
  const byKey = async (over: Parameters<typeof makeKey>[1]) => acme.as({ key: await makeKey(acme, over) }).call
  const gone = await personWith(local, { call: boss }, ['owner'])
  calls['a key of scope admin'] = await byKey({ scopes: ['admin'] })
  calls['a service key'] = await byKey({ service: true })
  const cap = [...permissionsOfRoles(['owner'])]
  calls['a service key whose maker was removed'] = await byKey({ service: true, created_by: gone.user_id, cap })
  expect((await boss(users.delete, { params: { id: gone.user_id } })).status).toBe(204)

  const second = await personWith(local, { call: boss }, ['owner'])
  await enrolTotp(local, second)
  local.clock.moveTo(local.clock.now() + 10 * 60_000)
  calls['an owner with an old factor'] = second.call
  calls['an owner without a factor'] = (await signIn(local, acme.owner)).call
  const robot = await discovered(local, await newClient(acme, { ...MACHINE, scopes: API_SCOPES }))
  const { access_token } = await client.clientCredentialsGrant(robot, { scope: API_SCOPES.join(' ') })
  calls['an OAuth client with all scopes'] = acme.as({ key: access_token }).call
  const scopes = ['openid', ...API_SCOPES]
  const app = await discovered(local, await newClient(acme, { ...CODE_CLIENT, scopes }))
  const { tokens } = await authorized(local, app, acme.owner, { scope: scopes.join(' ') })
  calls['an OAuth client of an owner with all scopes'] = acme.as({ key: tokens.access_token }).call
}

type Act = [name: string, route: Route, run: (call: Call) => Promise<Reply>]

const tenant = () => ({ tenant_id: acme.tenant_id })
const one = (name: string) => ({ id: at[name] ?? '' })
const update = (what: string, name: string, body: () => object): Act => [
  what,
  users.update,
  (call) => call(users.update, { params: one(name), body: body() }),
]
const rights = (what: string, name: string, body: object): Act => [
  what,
  users.setRoles,
  (call) => call(users.setRoles, { params: one(name), body }),
]
const invite = (what: string, body: () => object): Act => [
  what,
  users.invite,
  (call) => call(users.invite, { body: body() }),
]
const key = (what: string, over: object): Act => [
  what,
  keys.create,
  (call) => call(keys.create, { body: { name: 'new', kind: 'live', ...over } }),
]
const steer = (what: string, body: object): Act => [
  what,
  clients.update,
  (call) => call(clients.update, { params: { client_id: at.client ?? '' }, body }),
]

const ACTS: Act[] = [
  ['vouches for an account', users.confirm, (call) => call(users.confirm, { params: one('approver') })],
  update('moves an address', 'approver', () => ({ email: freshAddress() })),
  update('ends a suspension', 'suspended', () => ({ status: 'active' })),
  update('forgives failed sign-ins', 'locked', () => ({ locked: false })),
  ['removes factors', mfa.reset, (call) => call(mfa.reset, { params: one('factors') })],
  ['unties from the provider', sso.unlink, (call) => call(sso.unlink, { params: one('approver') })],
  invite('invites an approver', () => ({ email: freshAddress(), roles: ['approver'] })),
  invite('sends the invitation of an approver again', () => ({
    email: 'invited@targets.example',
    roles: ['approver'],
  })),
  invite('changes the roles of an invitation', () => ({ email: 'invited@targets.example', roles: ['admin'] })),
  rights('makes an approver', 'member', { roles: ['member', 'approver'] }),
  rights('makes somebody who administers people', 'member', { roles: ['member'], grants: ['users:write'] }),
  rights('lifts a denial', 'denied', { roles: ['approver'], denies: [] }),
  [
    'makes a role',
    roles.create,
    (call) => call(roles.create, { body: { name: 'new', permissions: ['approvals:decide'] } }),
  ],
  [
    'changes a role',
    roles.replace,
    (call) => call(roles.replace, { params: { role: 'own' }, body: { permissions: ['approvals:decide'] } }),
  ],
  ['deletes a role', roles.delete, (call) => call(roles.delete, { params: { role: 'own' } })],
  [
    'maps a group',
    tenants.update,
    (call) =>
      call(tenants.update, {
        params: tenant(),
        body: { settings: { group_roles: [{ group: 'G', role: 'approver' }] } },
      }),
  ],
  [
    'configures single sign-on',
    sso.configure,
    (call) => call(sso.configure, { params: tenant(), body: bodyOf(sso.configure) ?? {} }),
  ],
  ['deletes single sign-on', sso.delete, (call) => call(sso.delete, { params: tenant() })],
  [
    'asks for no factors',
    mfa.changePolicy,
    (call) => call(mfa.changePolicy, { params: tenant(), body: { enforcement: 'off' } }),
  ],
  [
    'lengthens sessions',
    auth.setSessionPolicy,
    (call) => call(auth.setSessionPolicy, { params: tenant(), body: bodyOf(auth.setSessionPolicy) ?? {} }),
  ],
  key('makes a key that administers', { scopes: ['admin'] }),
  key('makes the key of a directory', { scopes: ['scim'] }),
  key('makes a key of the tenant that decides', { scopes: ['governance:write'], service: true }),
  [
    'rotates a key that administers',
    keys.rotate,
    (call) => call(keys.rotate, { params: { id: at.admin_key ?? '' }, body: {} }),
  ],
  [
    'makes a client that people are not asked about',
    clients.create,
    (call) => call(clients.create, { body: { ...CODE_CLIENT, skip_consent: true } }),
  ],
  steer('stops asking people about a client', { skip_consent: true }),
  steer('sends the codes of a client elsewhere', { redirect_uris: ['https://elsewhere.example/callback'] }),
  [
    'lets callers in from elsewhere',
    allowlist.create,
    (call) => call(allowlist.create, { params: tenant(), body: { cidr: '10.0.0.0/8' } }),
  ],
  [
    'lets callers in from everywhere',
    allowlist.delete,
    (call) => call(allowlist.delete, { params: { ...tenant(), rule_id: at.network ?? '' } }),
  ],
  [
    'lets somebody vote in their name',
    approvals.createDelegation,
    (call) =>
      call(approvals.createDelegation, {
        body: { to_user_id: at.approver, until: new Date(local.clock.now() + 3_600_000).toISOString() },
      }),
  ],
]

/** Who can come in, and what they may do: everything that the changes are about. */
async function everything(): Promise<unknown> {
  const { table, space } = ctx
  const { tenant_id } = space
  const [people, own, item, provider, made, apps] = await Promise.all([
    table.query(accounts, { pk: usersPartition(tenant_id), index: 'gsi1' }),
    freshCustomRoles(table, tenant_id),
    table.get(tenantItems, { id: tenant_id }),
    table.get(ssoConfigurations, { tenant_id }),
    table.query(apiKeys, { pk: keysPartition(tenant_id), index: 'gsi1' }),
    table.query(oauthClients, { pk: clientsPartition(tenant_id), index: 'gsi1' }),
  ])
  const factors = await Promise.all(people.map((user) => allFactorsOf(table, user)))
  const may = people.map((user) => [...permissionsOfUser(user, own)].toSorted())
  const without = made.map(({ last_used_at: _, _v: __, ...rest }) => rest)
  return { people, may, factors, own, item, provider, keys: without, apps }
}

describe.each(Object.entries(ACTORS))('%s', (actor, codes) => {
  test.each(ACTS)('403: never %s', async (_, __, run) => {
    const before = await everything()
    const reply = await run(calls[actor] ?? local.call)

    expect(reply, JSON.stringify(reply.body)).toMatchObject({
      status: 403,
      body: { code: expect.toBeOneOf([...codes]) },
    })
    expect(await everything()).toEqual(before)
  })
})

test('an owner in person does all of it, and owners hear of it', async () => {
  await showFactor(local, { call: calls['an owner without a factor'] ?? local.call })
  const refused: string[] = []
  for (const [name, , run] of ACTS) {
    const reply = await run(calls['an owner without a factor'] ?? local.call)
    // There is no tie, no single sign-on and no verified domain: these are asked after who asks.
    if (reply.status >= 400 && ![404, 409].includes(reply.status))
      refused.push(`${name}: ${JSON.stringify(reply.body)}`)
  }

  expect(refused).toEqual([])
  const told = (await mailsTo(local, acme.owner.email)).filter(({ kind }) => kind === 'access_changed')
  const changes = new Set(told.map(({ text }) => /changed (.*)\.\n/.exec(text)?.[1]))
  expect([...changes]).toEqual(
    expect.arrayContaining([
      'the address of a person',
      'the suspension of a person',
      'the block of an account after failed sign-ins',
      'the second factors of a person',
      'who may decide or administer, by an invitation',
      'who may decide or administer, by the rights of a person',
      'the API keys of the organisation that may decide',
      'to whom an OAuth client gives access in the name of people',
    ]),
  )
})

/** Changes that let nobody in and give nobody more, and why no person need be there. */
const OTHERWISE: Record<string, readonly Route[]> = {
  'ends access': [
    users.delete,
    users.revokeCredentials,
    users.disconnectApplication,
    users.deleteSessions,
    keys.revoke,
    clients.delete,
    tenants.close,
    auth.logout,
    auth.endSession,
    auth.disconnectApplication,
    approvals.endDelegation,
  ],
  'is proven by a password, a factor, a link or the provider itself': [
    auth.register,
    auth.login,
    auth.loginUnversioned,
    auth.passkeyOptions,
    auth.signInWithPasskey,
    auth.refresh,
    auth.refreshUnversioned,
    auth.resetPassword,
    auth.changePassword,
    auth.submitPassword,
    auth.submitVerification,
    mfa.verify,
    sso.samlCallback,
    sso.token,
  ],
  'is about the own account and needs a fresh sign-in': [
    mfa.beginTotp,
    mfa.confirmTotp,
    mfa.passkeyOptions,
    mfa.addPasskey,
    mfa.createRecoveryCodes,
    mfa.removeFactor,
  ],
  'sends a mail to the address itself': [auth.forgotPassword, auth.submitForgot, auth.resendVerification],
  'gives names': [auth.updateMe, keys.update],
  'changes nothing': [sso.test],
  'founds a tenant, in which the caller is invited': [tenants.create],
  'gives a client that people are asked about, with scopes that decide nothing (everybody who saw its secret is named)':
    [clients.rotateSecret, clients.createRegistrationToken],
  'proves a domain: what it vouches for is good for a member alone': [domains.request, domains.confirm],
  'makes data unreadable at most': [kms.configure],
  'is a directory, see test/api/scim/proof.test.ts': Object.values(scim).filter(({ method }) => method !== 'GET'),
  'follows the protocol of OAuth, where people agree in their own browser': Object.values(oauth).filter(
    ({ method }) => method !== 'GET',
  ),
}

test('the list knows every change in these areas', () => {
  const areas = { allowlist, auth, clients, domains, keys, kms, mfa, oauth, roles, scim, sso, tenants, users }
  const delegations = [approvals.createDelegation, approvals.endDelegation]
  const rows: Route[] = [...Object.values(areas).flatMap((area) => Object.values(area) as Route[]), ...delegations]
  const changing = rows.filter(({ method }) => method !== 'GET')
  const known = new Set([...ACTS.map(([, route]) => route), ...Object.values(OTHERWISE).flat()].map(({ id }) => id))

  expect(changing.length).toBeGreaterThan(70)
  expect(changing.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([])
})
