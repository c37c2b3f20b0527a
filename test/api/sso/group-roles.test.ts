// Roles that people have through groups of their identity provider.
import { beforeAll, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { roles } from '../../../functions/roles/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { sso } from '../../../functions/sso/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { openTable } from '../../../shared/base/context.ts'
import { spaceKey } from '../../../shared/base/table/entity.ts'
import { caller } from '../../support/call.ts'
import { ownerInPerson, type SignedIn, signedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { type OidcTenant, oidcTenant, startProvider } from './oidc-idp.ts'
import { configure, post, redeem, samlBody, type SamlTenant, samlTenant } from './saml-idp.ts'

const local = useLocalStack()
const GROUPS = { group_attribute: 'groups', role_mappings: [{ group: 'Approvers', role_ids: ['approver'] }] }
let acme: SamlTenant
let owner: SignedIn
beforeAll(async () => {
  acme = await samlTenant(local, GROUPS)
  owner = await ownerInPerson(local, acme.tenant)
})

async function answer(name: string, groups: string[] | undefined, query: Record<string, string> = {}) {
  const { id, cookie } = await acme.begin(query)
  const name_id = `${name}@${acme.domain}`
  const attributes: Record<string, string | string[]> = groups === undefined ? {} : { groups }
  return post(local, acme.answer(acme.said(id, { name_id, attributes })), cookie)
}
const session = async (name: string, groups?: string[]) =>
  signedIn(local, await redeem(local, (await answer(name, groups)).code))
const userOf = async ({ user_id: id }: SignedIn) => (await owner.call(users.get, { params: { id } })).body
const map = (over: object, by?: SignedIn) =>
  configure(local, acme.tenant, samlBody(acme.domain, acme.key, over), by?.call)

describe('at a sign-in by SAML', () => {
  test('a person gains the role with the group and loses it without, and so does the key they made meanwhile', async () => {
    const first = await session('gains', ['Approvers', 'Others'])
    expect((await first.call(auth.me)).body).toMatchObject({ roles: ['member', 'approver'] })
    const body = { name: 'mine', kind: 'live', scopes: ['evidence:read'] }
    const made = await map({ ...GROUPS, role_mappings: [{ group: 'Approvers', role_ids: ['approver', 'developer'] }] })
    expect(made.status).toBe(200)
    const again = await session('gains', ['Approvers'])
    const key = await again.call(keys.create, { body })
    expect(key.status).toBe(201)
    const asKey = caller(local, key.body.key)
    expect((await asKey(evidence.latest)).status).toBe(200)

    const last = await session('gains', [])
    expect(await userOf(last)).toMatchObject({ roles: ['member'], sso_roles: [] })
    expect((await first.call(auth.me)).body.roles).toEqual(['member'])
    expect((await asKey(evidence.latest)).status).toBe(403)
    expect((await again.call(keys.create, { body })).status).toBe(403)
    await map(GROUPS, owner)
  })

  test('a provider that sends no groups gives no role', async () => {
    expect(await userOf(await session('forgotten', ['Approvers']))).toMatchObject({ sso_roles: ['approver'] })
    expect(await userOf(await session('forgotten'))).toMatchObject({ sso_roles: [] })
  })

  test('the audit log shows the roles before and after', async () => {
    const { user_id } = await session('told', [])
    await session('told', ['Approvers'])
    const params = { tenant_id: acme.tenant.tenant_id }
    const log = await owner.call(security.auditLogs, { params, query: { resource_id: user_id } })

    const entry = log.body.items.find(({ action }: { action: string }) => action === 'user.updated')
    expect(entry.changes).toEqual([{ path: 'sso_roles', before: [], after: ['approver'] }])
  })

  test('a test sign-in shows the roles and changes nothing', async () => {
    const person = await session('tried', [])
    const { body } = await owner.call(sso.test, { params: { tenant_id: acme.tenant.tenant_id }, body: {} })
    const query = Object.fromEntries(new URL(body.start_url).searchParams)
    const { text } = await answer('tried', ['Approvers'], query)

    expect(text).toContain('with the roles member, approver')
    expect(await userOf(person)).toMatchObject({ sso_roles: [] })
  })
})

describe('an authoritative mapping', () => {
  test('ends roles that were given by hand, but never makes or unmakes an owner', async () => {
    const person = await session('ruled', [])
    await owner.call(users.setRoles, { params: { id: person.user_id }, body: { roles: ['admin'] } })
    await map({ ...GROUPS, roles_authoritative: true }, owner)

    expect(await userOf(await session('ruled', ['Approvers']))).toMatchObject({ roles: [], sso_roles: ['approver'] })
    expect(await userOf(await session('ruled', []))).toMatchObject({ roles: [], sso_roles: ['member'] })
    await map(GROUPS, owner)
  })
})

describe('a change of the mapping', () => {
  test('takes away what it no longer gives, also from people who do not sign in again', async () => {
    const person = await session('absent', ['Approvers'])
    await map({}, owner)

    expect(await userOf(person)).toMatchObject({ roles: ['member'], sso_roles: [] })
    await local.advance(61_000)
    await local.sweep()
    expect(
      await openTable().keys({ pk: spaceKey({ tenant_id: acme.tenant.tenant_id, mode: 'live' }), prefix: 'SSOROLES' }),
    ).toEqual([])
    await map(GROUPS, owner)
    expect(await userOf(await session('absent', ['Approvers']))).toMatchObject({ sso_roles: ['approver'] })
  })

  test('409: a role of a mapping cannot be deleted', async () => {
    const role = 'refunder'
    await owner.call(roles.create, { body: { name: role, description: 'x', permissions: ['approvals:read'] } })
    await map({ ...GROUPS, role_mappings: [{ group: 'Refunds', role_ids: [role] }] }, owner)

    expect((await owner.call(roles.delete, { params: { role } })).status).toBe(409)
    await map(GROUPS, owner)
    expect((await owner.call(roles.delete, { params: { role } })).status).toBe(204)
  })

  test.each([
    ['the role owner', { ...GROUPS, role_mappings: [{ group: 'A', role_ids: ['owner'] }] }],
    ['a role that does not exist', { ...GROUPS, role_mappings: [{ group: 'A', role_ids: ['nothing'] }] }],
    ['a group twice', { ...GROUPS, role_mappings: [...GROUPS.role_mappings, ...GROUPS.role_mappings] }],
    ['a mapping without the attribute', { role_mappings: GROUPS.role_mappings }],
    ['authority without the attribute', { roles_authoritative: true }],
  ])('422: %s', async (_, over) => {
    expect((await map(over, owner)).status).toBe(422)
  })
})

test('at a sign-in by OpenID Connect the groups come from the ID token, or from userinfo', async () => {
  const provider = await startProvider(local.clock.now)
  try {
    provider.state.metadata = { scopes_supported: ['openid', 'groups'] }
    const other: OidcTenant = await oidcTenant(local, provider, GROUPS)
    expect((await other.begin()).location.searchParams.get('scope')).toBe('openid email profile groups')
    const rolesOf = async ({ code }: { code: string }) =>
      (await signedIn(local, await redeem(local, code)).call(auth.me)).body.roles

    expect(await rolesOf(await other.signIn({ groups: ['Approvers'] }))).toEqual(['member', 'approver'])
    expect(await rolesOf(await other.signIn())).toEqual(['member'])
    provider.state.userinfo = { groups: 'Approvers' }
    expect(await rolesOf(await other.signIn())).toEqual(['member', 'approver'])
  } finally {
    await provider.stop()
  }
})
