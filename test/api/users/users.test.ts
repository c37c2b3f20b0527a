import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { securityEvents } from '../../../functions/security-events/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { showFactor } from '../../support/factors.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { mailsTo, tokenFor } from '../../support/mailbox.ts'
import { freshAddress, personWith } from '../../support/people.ts'
import { logIn, ownerInPerson, signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
beforeEach(async () => {
  acme = await local.tenant()
  owner = await ownerInPerson(local, acme)
})

const invite = (body: object, by: SignedIn = owner) => by.call(users.invite, { body: { roles: ['member'], ...body } })
const person = (...roles: string[]) => personWith(local, owner, roles)

describe('POST /api/v1/users', () => {
  test('201: the invited person gets a mail, and is a user when they have set a password', async () => {
    const email = freshAddress()
    const reply = await invite({ email, name: 'Ada', roles: ['developer'] })

    expect(reply.status, JSON.stringify(reply.body)).toBe(201)
    expect(reply.body).toMatchObject({ email, name: 'Ada', roles: ['developer'], status: 'invited', source: 'invite' })
    expect((await logIn(local, { email })).status).toBe(401)
    await local.call(auth.resetPassword, {
      body: { token: await tokenFor(local, email, 'invitation'), password: PASSWORD },
    })
    const ada = await signIn(local, { email })
    expect(ada.user_id).toBe(reply.body.id)
  })

  test('201: an address may be written with its host in its own script, and is the same in both forms', async () => {
    const name = freshAddress().split('@')[0] ?? ''
    const [written, ascii] = [`${name}&co@bücher.example`, `${name}&co@xn--bcher-kva.example`]
    const reply = await invite({ email: written })

    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201, body: { email: written } })
    expect(await invite({ email: ascii })).toMatchObject({ status: 200, body: { id: reply.body.id, email: written } })
    await local.call(auth.resetPassword, {
      body: { token: await tokenFor(local, ascii, 'invitation'), password: PASSWORD },
    })
    expect((await signIn(local, { email: ascii })).user_id).toBe(reply.body.id)
    const { call } = await signIn(local, { email: written })
    expect((await call(auth.me)).body).toMatchObject({ email: written })
    const found = await owner.call(users.list, { query: { email: written } })
    expect(found.body.items).toMatchObject([{ id: reply.body.id, email: written }])
  })

  test('200: an address that is invited already gets the mail again', async () => {
    const email = freshAddress()
    const first = await invite({ email })
    const [before, again] = [await tokenFor(local, email, 'invitation'), await invite({ email })]

    expect(again).toMatchObject({ status: 200, body: { id: first.body.id, roles: ['member'] } })
    expect(await tokenFor(local, email, 'invitation')).not.toBe(before)
  })

  test('200: a second invitation with other roles changes them, also behind the link of the first', async () => {
    const email = freshAddress()
    await invite({ email, roles: ['developer'] })
    const token = await tokenFor(local, email, 'invitation')
    expect(await invite({ email, roles: ['auditor'] })).toMatchObject({ status: 200, body: { roles: ['auditor'] } })

    await local.call(auth.resetPassword, { body: { token, password: PASSWORD } })
    const { call } = await signIn(local, { email })
    expect((await call(auth.me)).body.roles).toEqual(['auditor'])
    const { body } = await acme.call(evidence.latest, { query: { limit: 50 } })
    const invited = body.items.filter(({ type }: { type: string }) => type === 'identity.user.invited')
    expect(invited).toHaveLength(2)
  })

  test('403: nobody changes the roles of an invited owner by inviting them again', async () => {
    const email = freshAddress()
    await invite({ email, roles: ['owner'] })
    const admin = await showFactor(local, await person('admin'))

    expect((await invite({ email, roles: ['member'] }, admin)).status).toBe(403)
    expect((await invite({ email, roles: ['owner'] })).body.roles).toEqual(['owner'])
  })

  test('403: a plan has room for so many people, also for several at once', async () => {
    acme = await local.tenant({ plan: 'free' })
    owner = await signIn(local, acme.owner)
    const replies = await Promise.all([1, 2, 3].map(() => invite({ email: freshAddress() })))

    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403, 403])
    expect(replies.find(({ status }) => status === 403)?.body).toMatchObject({ code: 'plan_limit' })
  })

  test('409: an address of the tenant that is in use', async () => {
    expect((await invite({ email: acme.approver.email })).status).toBe(409)
    expect((await invite({ email: acme.approver.email.toUpperCase() })).status).toBe(409)
  })

  test('201: the same address may belong to several tenants', async () => {
    const other = await local.tenant()

    expect((await invite({ email: other.owner.email })).status).toBe(201)
  })

  test('403: nobody gives a role that holds more than they do', async () => {
    const admin = await showFactor(local, await person('admin'))

    expect((await invite({ email: freshAddress(), roles: ['owner'] }, admin)).status).toBe(403)
    expect(await invite({ email: freshAddress(), roles: ['billing'] }, admin)).toMatchObject({
      status: 403,
      body: { detail: 'You cannot give permissions that you do not hold: billing:write. Ask somebody who holds them.' },
    })
    expect((await invite({ email: freshAddress(), roles: ['developer'] }, admin)).status).toBe(201)
  })

  test.each([
    ['an unknown role', { roles: ['wizard'] }, ['body', 'roles', 0]],
    ['no role', { roles: [] }, ['body', 'roles']],
    ['no address', { email: 'ada' }, ['body', 'email']],
  ])('422: refuses %s', async (_, change, loc) => {
    const reply = await invite({ email: freshAddress(), ...change })

    expect(reply).toMatchObject({ status: 422, body: { detail: [{ loc }] } })
  })
})

describe('PUT /api/v1/users/{id}/roles', () => {
  const setRoles = (id: string, body: object, by = owner) => by.call(users.setRoles, { params: { id }, body })
  const list = (who: SignedIn) => who.call(users.list)

  test('200: works at the next request, and denials win', async () => {
    const ada = await person('member')
    expect((await list(ada)).status).toBe(403)

    expect(await setRoles(ada.user_id, { roles: ['admin'] })).toMatchObject({ status: 200, body: { roles: ['admin'] } })
    expect((await list(ada)).status).toBe(200)
    await setRoles(ada.user_id, { roles: ['admin'], denies: ['users:read'], grants: ['users:read'] })
    expect((await list(ada)).status).toBe(403)
    await setRoles(ada.user_id, { roles: ['admin'] })
    expect((await list(ada)).status, 'what is not named stays').toBe(403)
    await setRoles(ada.user_id, { roles: ['admin'], denies: [], grants: [] })
    expect((await list(ada)).status).toBe(200)
  })

  test('403: an administrator neither makes nor unmakes owners, nor gives what they lack', async () => {
    const admin = await showFactor(local, await person('admin'))
    const ada = await person('member')

    expect((await setRoles(ada.user_id, { roles: ['owner'] }, admin)).status).toBe(403)
    expect((await setRoles(owner.user_id, { roles: ['admin'] }, admin)).status).toBe(403)
    expect((await setRoles(ada.user_id, { roles: ['member'], grants: ['tenant:kms'] }, admin)).status).toBe(403)
    expect((await setRoles(admin.user_id, { roles: ['admin', 'owner'] }, admin)).status).toBe(403)
  })

  test('409: the last owner stays owner', async () => {
    expect(await setRoles(owner.user_id, { roles: ['admin'] })).toMatchObject({ status: 409 })

    const second = await person('owner')
    const both = await Promise.all([
      setRoles(owner.user_id, { roles: ['admin'] }, second),
      setRoles(second.user_id, { roles: ['admin'] }, owner),
    ])
    const statuses = both.map(({ status }) => status).toSorted((one, other) => one - other)
    expect(
      [
        [200, 403],
        [200, 409],
      ],
      'the slower is no owner any more, or the last one',
    ).toContainEqual(statuses)
  })

  test('409: a change made for another version', async () => {
    const ada = await person('member')

    expect((await setRoles(ada.user_id, { roles: ['developer'], version: 999 })).status).toBe(409)
  })

  test('422: an owner is denied nothing', async () => {
    expect((await setRoles(owner.user_id, { roles: ['owner'], denies: ['users:read'] })).status).toBe(422)
  })
})

describe('PATCH /api/v1/users/{id}', () => {
  const update = (id: string, body: object, by = owner) => by.call(users.update, { params: { id }, body })

  test('200: a suspended person is out at the next request, with their keys; restoring brings no session back', async () => {
    const ada = await person('developer')
    const body = { name: 'k', kind: 'live', scopes: ['governance:read'] }
    const { body: key } = await ada.call(keys.create, { body })
    expect((await local.call(protocol.listManifests, { key: key.key })).status).toBe(200)

    const suspended = await update(ada.user_id, { status: 'suspended' })
    expect(suspended, JSON.stringify(suspended.body)).toMatchObject({ status: 200, body: { status: 'suspended' } })
    expect((await ada.call(protocol.listManifests)).status).toBe(401)
    expect((await local.call(protocol.listManifests, { key: key.key })).status).toBe(401)
    expect((await logIn(local, ada)).status).toBe(401)
    expect((await update(ada.user_id, { status: 'suspended' })).status, 'once more').toBe(200)

    expect(await update(ada.user_id, { status: 'active' })).toMatchObject({ status: 200, body: { status: 'active' } })
    expect((await ada.call(protocol.listManifests)).status).toBe(401)
    expect((await logIn(local, ada)).status).toBe(200)
  })

  test('200: a key that belongs to the tenant outlives its maker', async () => {
    const admin = await person('admin')
    const { body: key } = await admin.call(keys.create, {
      body: { name: 'directory', kind: 'live', scopes: ['governance:read'], service: true },
    })
    await update(admin.user_id, { status: 'suspended' })

    expect((await local.call(protocol.listManifests, { key: key.key })).status).toBe(200)
    await update(admin.user_id, { status: 'suspended' })
    const told = await mailsTo(local, acme.owner.email)
    expect(told.filter(({ kind }) => kind === 'security_alert')).toMatchObject([
      { text: expect.stringContaining('service key orphaned') },
    ])
    const { body: found } = await owner.call(securityEvents.list, { params: { tenant_id: acme.tenant_id } })
    expect(found.items).toMatchObject([
      { type: 'service_key_orphaned', user_id: admin.user_id, details: { key_id: key.id, name: 'directory' } },
    ])
    const { body: alerts } = await owner.call(events.list, { query: { types: 'alert.firing' } })
    expect(alerts.items).toHaveLength(1)
  })

  test('200: a new address must be verified, and the former one is free again', async () => {
    const ada = await person('member')
    const email = freshAddress()
    const reply = await update(ada.user_id, { email })

    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200, body: { email, email_verified: false } })
    const { call } = await signIn(local, { email })
    expect((await logIn(local, { email: ada.email })).status).toBe(401)
    const verified = await call(auth.verifyEmail, {
      query: { token: await tokenFor(local, email, 'verify_email') },
    })
    expect(verified.status).toBe(200)
    expect((await ada.call(auth.me)).body, 'the person stays the same').toMatchObject({ email, email_verified: true })
    expect((await invite({ email: ada.email })).status).toBe(201)
  })

  test('200: an address that is sent in another form is not a new one', async () => {
    const ada = await person('member')
    const email = `${ada.user_id}@bücher.example`
    await update(ada.user_id, { email })
    const before = (await owner.call(users.get, { params: { id: ada.user_id } })).body.version
    const reply = await update(ada.user_id, { email: `${ada.user_id}@XN--BCHER-KVA.example` })

    expect(reply).toMatchObject({ status: 200, body: { email, version: before } })
  })

  test('200: who has signed in before is not invited again when a suspension ends', async () => {
    const ada = await person('member')
    await update(ada.user_id, { email: freshAddress() })
    await update(ada.user_id, { status: 'suspended' })

    expect(await update(ada.user_id, { status: 'active' })).toMatchObject({ status: 200, body: { status: 'active' } })
  })

  test('409: nobody changes their own status', async () => {
    expect((await update(owner.user_id, { status: 'suspended' })).status).toBe(409)
    expect((await owner.call(users.delete, { params: { id: owner.user_id } })).status).toBe(409)
  })
})

describe('DELETE /api/v1/users/{id}', () => {
  test('204: the account keeps its id only, and the address is free again', async () => {
    const ada = await person('member')
    const remove = () => owner.call(users.delete, { params: { id: ada.user_id } })

    expect((await remove()).status).toBe(204)
    expect((await ada.call(protocol.listManifests)).status).toBe(401)
    expect((await owner.call(users.get, { params: { id: ada.user_id } })).body).toMatchObject({
      status: 'deleted',
      email: null,
      name: '',
      roles: [],
    })
    expect((await remove()).status).toBe(404)
    expect((await invite({ email: ada.email })).status).toBe(201)
  })
})

test('DELETE /api/v1/users/{id}/sessions signs a person out everywhere', async () => {
  const ada = await person('member')
  const [first, second] = [await signIn(local, ada), await signIn(local, ada)]

  expect((await owner.call(users.deleteSessions, { params: { id: ada.user_id } })).status).toBe(204)
  for (const session of [ada, first, second]) expect((await session.call(protocol.listManifests)).status).toBe(401)
  expect((await logIn(local, ada)).status).toBe(200)
})

test('GET /api/v1/users filters by address, role, status, source and part of a name', async () => {
  const ada = await person('developer')
  const emails = async (query: Record<string, string>) =>
    (await owner.call(users.list, { query })).body.items.map(({ email }: { email: string }) => email)

  expect(await emails({ email: ada.email.toUpperCase() })).toEqual([ada.email])
  expect(await emails({ role: 'approver' })).toEqual([acme.approver.email])
  expect(await emails({ source: 'invite' })).toEqual([ada.email])
  expect(await emails({ status: 'suspended' })).toEqual([])
  expect(await emails({ q: 'APPROV' })).toEqual([acme.approver.email])
  await owner.call(users.delete, { params: { id: ada.user_id } })
  expect(await emails({})).toHaveLength(2)
  expect(await emails({ status: 'deleted' })).toEqual([null])
})
