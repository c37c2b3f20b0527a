// What a directory makes or changes is good for a member alone, until its person has proven that the account is theirs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { auth } from '../../../functions/auth/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { enrolTotp, showFactor } from '../../support/factors.ts'
import { PASSWORD } from '../../support/local-stack.ts'
import { mailsTo, tokenFor } from '../../support/mailbox.ts'
import { freshAddress, type Person, personWith } from '../../support/people.ts'
import { logIn, ownerInPerson, type SignedIn, signedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { okta, patchBody } from '../../unit/identity/scim/clients.ts'
import { oidcTenant, type Provider, startProvider } from '../sso/oidc-idp.ts'
import { ownDomain, redeem } from '../sso/saml-idp.ts'
import { type Directory, directory, prove } from './directory.ts'

const local = useLocalStack()
let acme: Directory
let owner: SignedIn
beforeEach(async () => {
  acme = await directory(local)
  owner = await ownerInPerson(local, acme.tenant)
})

const NEW_PASSWORD = 'a different horse entirely'
const replace = (path: string, value: unknown) => patchBody({ op: 'replace', path, value })
const account = async (id: string) => (await owner.call(users.get, { params: { id } })).body
const setRoles = (id: string, ...roles: string[]) => owner.call(users.setRoles, { params: { id }, body: { roles } })
const permissionsOf = async ({ call }: SignedIn): Promise<string[]> => (await call(auth.me)).body.permissions
const decides = async (one: SignedIn) => (await permissionsOf(one)).includes('approvals:decide')
const moveTo = (id: string, email: string) => acme.patchUser(id, replace('emails', [{ value: email, primary: true }]))
const verify = async (email: string, call = local.call, status = 200) => {
  const query = { token: await tokenFor(local, email, 'verify_email') }
  expect((await call(auth.verifyEmail, { query })).status).toBe(status)
}
const person = (...roles: string[]): Promise<Person> => personWith(local, owner, roles)

/** Somebody of the directory in a group that gives the role admin. */
async function inMappedGroup(of: object = {}, email = freshAddress()): Promise<{ id: string; email: string }> {
  const params = { tenant_id: acme.tenant.tenant_id }
  const settings = { group_roles: [{ group: 'Admins', role: 'admin' }] }
  expect((await owner.call(tenants.update, { params, body: { settings } })).status).toBe(200)
  const { id } = await acme.user({ userName: email, ...of })
  await acme.group({ displayName: 'Admins', members: [{ value: id }] })
  return { id, email }
}

describe('an account that a directory makes', () => {
  test('gets nothing by a mapped group while the directory knows its password, also where the domain is verified', async () => {
    const domain = await ownDomain(acme.tenant)
    const { id, email } = await inMappedGroup({ password: PASSWORD }, `anna@${domain}`)
    const anna = await signIn(local, { email })

    expect(await account(id)).toMatchObject({ group_roles: ['admin'], proof_due: 'password' })
    expect((await anna.call(auth.me)).body).toMatchObject({ roles: ['member'], proof_due: 'password' })
    expect(await anna.call(users.list)).toMatchObject({
      status: 403,
      body: { code: 'proof_required', detail: expect.stringContaining('/api/v1/auth/password/forgot') },
    })
    await prove(local, email, NEW_PASSWORD)
    expect((await anna.call(auth.me)).status).toBe(401)
    expect((await logIn(local, { email })).status).toBe(401)
    const proven = await signIn(local, { email, password: NEW_PASSWORD })
    expect((await proven.call(auth.me)).body).toMatchObject({ roles: ['member', 'admin'], proof_due: null })
    expect((await proven.call(users.list)).status).toBe(200)
  })

  test('is not proven by the link that verifies the address, where the directory knows the password', async () => {
    const { id, email } = await inMappedGroup({ password: PASSWORD })
    const anna = await signIn(local, { email })
    await verify(email, anna.call)

    expect(await account(id)).toMatchObject({ email_verified: true, proof_due: 'password' })
    expect(await decides(anna)).toBe(false)
  })

  test('is proven by that link where nobody knows a password', async () => {
    const { id, email } = await inMappedGroup()
    expect(await account(id)).toMatchObject({ email_verified: false, proof_due: 'address' })
    await verify(email)

    expect(await account(id)).toMatchObject({ email_verified: true, proof_due: null })
  })

  test('adds no factor, which could be of somebody else and would stay', async () => {
    const { email } = await inMappedGroup({ password: PASSWORD })
    const anna = await signIn(local, { email })

    expect(await anna.call(mfa.beginTotp, { body: {} })).toMatchObject({
      status: 403,
      body: { code: 'proof_required' },
    })
  })

  test('gets no role by hand before, and no way to take it over by its lower rank', async () => {
    const { id, email } = await inMappedGroup({ password: PASSWORD })
    await setRoles(id, 'member', 'approver')
    const anna = await signIn(local, { email })
    expect(await decides(anna)).toBe(false)

    const clerk = await showFactor(local, await person('member'))
    await owner.call(users.setRoles, {
      params: { id: clerk.user_id },
      body: { roles: ['member'], grants: ['users:write'] },
    })
    const taken = await clerk.call(users.update, { params: { id }, body: { email: freshAddress() } })
    expect(taken).toMatchObject({ status: 403, body: { detail: expect.stringContaining('approvals:decide') } })
  })
})

describe('an account that can do more than a member', () => {
  test('403: gets no password by a directory, with or without other changes', async () => {
    const ada = await person('approver')
    const both = patchBody({ op: 'replace', value: { title: 'Chief', password: NEW_PASSWORD } })

    expect(await acme.patchUser(ada.user_id, both)).toMatchObject({
      status: 403,
      body: { detail: expect.stringMatching(/^A directory cannot set the password/) },
    })
    expect((await logIn(local, { email: ada.email, password: NEW_PASSWORD })).status).toBe(401)
    expect(await decides(ada)).toBe(true)
  })

  test('does nothing of it at an address that a directory gave, for anybody who opens the mails there', async () => {
    const ada = await person('approver')
    const theirs = freshAddress()
    await moveTo(ada.user_id, theirs)
    expect(await decides(ada)).toBe(false)

    await verify(theirs, local.call, 409) // the account has been used
    await prove(local, theirs, NEW_PASSWORD)
    const puppet = await signIn(local, { email: theirs, password: NEW_PASSWORD })
    expect(await account(ada.user_id)).toMatchObject({ email_verified: true, proof_due: 'provider' })
    expect(await decides(puppet)).toBe(false)
    expect(await puppet.call(approvals.approve, { params: { id: 'apr_missing' }, body: {} })).toMatchObject({
      status: 403,
      body: { code: 'proof_required' },
    })
    expect((await puppet.call(mfa.beginTotp, { body: {} })).status).toBe(403)

    const right = freshAddress()
    const update = { params: { id: ada.user_id }, body: { email: right } }
    expect((await owner.call(users.update, update)).body).toMatchObject({ proof_due: 'password' })
    expect(await decides(puppet)).toBe(false)
    await prove(local, right)
    expect((await puppet.call(auth.me)).status).toBe(401)
    expect(await decides(await signIn(local, { email: right }))).toBe(true)
  })

  test('is proven at such an address by any link if it has a factor, without which nobody signs in', async () => {
    const ada = await person('approver')
    const { app } = await enrolTotp(local, ada)
    const [theirs, code] = [freshAddress(), app.nextCode()]
    await moveTo(ada.user_id, theirs)
    expect(await account(ada.user_id)).toMatchObject({ proof_due: 'address' })
    await prove(local, theirs, NEW_PASSWORD)

    const { body } = await logIn(local, { email: theirs, password: NEW_PASSWORD })
    expect(body).toMatchObject({ mfa_required: true })
    const shown = await local.call(mfa.verify, { body: { mfa_token: body.mfa_token, method: 'totp', code } })
    expect(await decides(signedIn(local, shown))).toBe(true)
  })

  test('is a member only, when somebody accepts its invitation at an address that a directory gave', async () => {
    const email = freshAddress()
    const { body } = await owner.call(users.invite, { body: { email, roles: ['admin'] } })
    const theirs = freshAddress()
    await moveTo(body.id, theirs)
    const token = await tokenFor(local, theirs, 'invitation')
    await local.call(auth.resetPassword, { body: { token, password: PASSWORD } })

    const puppet = await signIn(local, { email: theirs })
    expect((await puppet.call(auth.me)).body).toMatchObject({ roles: [], proof_due: 'provider' })
    expect((await puppet.call(users.list)).status).toBe(403)
  })

  test('proves the mailbox after a directory has brought it back, by the link of a mail', async () => {
    const ada = await person('approver')
    await acme.patchUser(ada.user_id, okta.deactivate)
    await acme.patchUser(ada.user_id, okta.activate)
    const back = await signIn(local, ada)
    expect(await decides(back)).toBe(false)

    await verify(ada.email)
    expect(await decides(back)).toBe(true)
  })

  test('keeps its rights when a directory changes anything else', async () => {
    const ada = await person('approver')
    for (const change of [replace('displayName', 'Ada B.'), replace('title', 'Chief'), replace('userName', 'ada-b')])
      expect((await acme.patchUser(ada.user_id, change)).status).toBe(200)

    expect(await account(ada.user_id)).toMatchObject({ name: 'Ada B.', proof_due: null })
    expect(await decides(ada)).toBe(true)
    await acme.patchUser(ada.user_id, okta.deactivate)
    expect((await ada.call(auth.me)).status).toBe(401)
  })
})

test('a member whose password a directory set stays a member when they are given more', async () => {
  const ben = await person('member')
  expect((await acme.patchUser(ben.user_id, okta.password(NEW_PASSWORD))).status).toBe(200)
  await setRoles(ben.user_id, 'approver')
  const puppet = await signIn(local, { email: ben.email, password: NEW_PASSWORD })
  expect(await decides(puppet)).toBe(false)

  await prove(local, ben.email)
  expect(await decides(await signIn(local, ben))).toBe(true)
})

test('a key shrinks with an account of which a directory moved the address', async () => {
  const ada = await person('admin')
  const body = { name: 'k', kind: 'live', scopes: ['governance:read', 'evidence:read'] }
  const { key } = (await ada.call(keys.create, { body })).body
  const reads = async () =>
    (await local.call(security.auditLogs, { key, params: { tenant_id: acme.tenant.tenant_id } })).status
  expect(await reads()).toBe(200)
  await moveTo(ada.user_id, freshAddress())

  expect(await reads()).toBe(403)
})

describe('a sign-in through the identity provider of the tenant', () => {
  let provider: Provider
  beforeAll(async () => {
    provider = await startProvider(local.clock.now)
  })
  afterAll(() => provider.stop())

  test('is a proof, after which neither the password of the directory nor its sessions open the account', async () => {
    provider.reset()
    const federated = await oidcTenant(local, provider)
    acme = await directory(local, 'live', federated.tenant)
    owner = await ownerInPerson(local, acme.tenant)
    const email = `anna@${federated.domain}`
    const { id } = await acme.user({ userName: email, password: PASSWORD })
    const before = await signIn(local, { email })
    await setRoles(id, 'approver')
    expect(await decides(before)).toBe(false)
    local.clock.moveTo(local.clock.now() + 1_000)

    const anna = signedIn(local, await redeem(local, (await federated.signIn()).code))
    expect(anna.user_id).toBe(id)
    expect(await account(id)).toMatchObject({ proof_due: null })
    expect(await decides(anna)).toBe(true)
    expect((await before.call(auth.me)).status).toBe(401)
    expect((await logIn(local, { email })).status).toBe(401)
  })
})

describe('a key of the scope scim', () => {
  const ask = { name: 'Directory', kind: 'live', scopes: ['scim'], service: true }

  test('is made in person by owners and administrators, who hear of it, and does nothing else', async () => {
    const stale = await signIn(local, acme.tenant.owner)
    expect(await stale.call(keys.create, { body: ask })).toMatchObject({ body: { code: 'enrolment_required' } })
    const developer = await showFactor(local, await person('developer'))
    expect((await developer.call(keys.create, { body: ask })).status).toBe(403)
    const { status, body } = await owner.call(keys.create, { body: ask })
    expect(status).toBe(201)

    expect((await local.call(scim.listUsers, { key: body.key })).status).toBe(200)
    expect((await local.call(users.list, { key: body.key })).status).toBe(403)
    const told = (await mailsTo(local, acme.tenant.owner.email)).filter(({ kind }) => kind === 'access_changed')
    expect(told.at(-1)?.text).toContain('the API keys that may administer')
  })

  test('reaches whom its maker could end, and no owner', async () => {
    const { key } = (await owner.call(keys.create, { body: ask })).body
    const [ada, second] = [await person('developer'), await person('owner')]
    const end = (id: string) => local.call(scim.patchUser, { key, params: { id }, body: replace('active', false) })

    expect((await end(ada.user_id)).status).toBe(200)
    expect((await end(second.user_id)).status).toBe(403)
  })
})
