// The accounts behind a live directory: what a directory decides about them, and what it leaves alone.
import { hash } from 'node:crypto'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { permissionsOfRoles } from '../../../shared/base/catalog/permissions.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { setTransport } from '../../../shared/base/lib/safe-http.ts'
import { claims } from '../../../shared/identity/domains/domain.ts'
import { sessionsOf } from '../../../shared/identity/sessions/session.ts'
import { makeKey } from '../../support/keys.ts'
import { type LocalStack, PASSWORD } from '../../support/local-stack.ts'
import { tokenFor } from '../../support/mailbox.ts'
import { mailsIn } from '../../support/mails.ts'
import { logIn, ownerInPerson, type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { okta, patchBody } from '../../unit/identity/scim/clients.ts'
import { ownDomain } from '../sso/saml-idp.ts'
import { type Directory, directory, prove, told } from './directory.ts'

const local = useLocalStack()
let acme: Directory
let owner: SignedIn

beforeAll(async () => {
  acme = await directory(local)
  owner = await ownerInPerson(local, acme.tenant)
  await ownDomain(acme.tenant, 'acme.example')
})

/** The account as administrators see it. */
const account = async (id: string) => (await owner.call(users.get, { params: { id } })).body
const replace = (path: string, value: unknown) => patchBody({ op: 'replace', path, value })
const NEW_PASSWORD = 'a different horse entirely'

describe('a new account', () => {
  test('is a member under the address of the resource, verified on a domain of the tenant', async () => {
    const { id } = await acme.user({ userName: 'anna@acme.example', displayName: 'Anna Berg', password: PASSWORD })

    expect(await account(id)).toMatchObject({
      id,
      email: 'anna@acme.example',
      email_verified: true,
      name: 'Anna Berg',
      roles: ['member'],
      group_roles: [],
      status: 'active',
      source: 'scim',
    })
    expect((await signIn(local, { email: 'anna@acme.example' })).user_id).toBe(id)
  })

  test.each([
    [
      'the primary address',
      {
        emails: [
          { value: 'w@a1.example', type: 'work' },
          { value: 'p@a1.example', primary: true },
        ],
      },
      'p@a1.example',
    ],
    [
      'else that for work',
      {
        emails: [
          { value: 'h@a2.example', type: 'home' },
          { value: 'w@a2.example', type: 'Work' },
        ],
      },
      'w@a2.example',
    ],
    [
      'else the user name',
      { userName: 'u@a3.example', emails: [{ value: 'h@a3.example', type: 'home' }] },
      'u@a3.example',
    ],
    ['else none', { userName: 'a4', emails: [{ value: 'h@a4.example', type: 'home' }] }, null],
    [
      'the address with its host in its own script',
      { emails: [{ value: "o'brien&co@bücher.example", primary: true }] },
      "o'brien&co@bücher.example",
    ],
  ])('takes %s', async (name, body, email) => {
    const { id } = await acme.user({ userName: `user of ${name}`, ...body })

    expect(await account(id)).toMatchObject({ email })
  })

  test.each([
    ['displayName', { displayName: 'Shown', name: { formatted: 'Formatted' } }, 'Shown'],
    ['else name.formatted', { name: { formatted: 'Formatted', givenName: 'G' } }, 'Formatted'],
    ['else the given and the family name', { name: { givenName: 'Given', familyName: 'Family' } }, 'Given Family'],
    ['without what cannot be seen', { displayName: 'A\u0000B\nC\u202E' }, 'A B C'],
    ['else the next that can be seen', { displayName: '\u200B' }, ''],
  ])('is called by %s', async (name, body, expected) => {
    const { id } = await acme.user({ userName: `called by ${name}`, ...body })

    expect(await account(id)).toMatchObject({ name: expected })
  })

  test('400: is not made where none of its addresses can get mail, and the directory is told so', async () => {
    const body = { userName: 'a5', emails: [{ value: 'nothing', primary: true }] }

    expect(await acme.call(scim.createUser, { body })).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue' },
    })
    const { id } = await acme.user({ ...body, emails: [{ value: 'a5@acme.example', primary: true }] })
    const change = { params: { id }, body: replace('emails', body.emails) }
    expect(await acme.call(scim.patchUser, change)).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    expect(await account(id)).toMatchObject({ email: 'a5@acme.example' })
  })

  test('leaves an address that somebody has to them, and keeps it in the resource', async () => {
    const mine = await acme.user({ userName: 'holder@acme.example' })
    const other = await acme.user({ userName: 'other', emails: [{ value: 'holder@acme.example', primary: true }] })

    expect(await account(other.id)).toMatchObject({ email: null })
    expect(other.emails).toEqual([{ value: 'holder@acme.example', primary: true }])
    expect(await account(mine.id)).toMatchObject({ email: 'holder@acme.example' })
  })

  test('created inactive is suspended and cannot sign in', async () => {
    const { id } = await acme.user({ userName: 'asleep@acme.example', active: false, password: PASSWORD })

    expect(await account(id)).toMatchObject({ status: 'suspended' })
    expect(await logIn(local, { email: 'asleep@acme.example' })).toMatchObject({ status: 401 })
    await acme.patchUser(id, okta.activate)
    expect((await signIn(local, { email: 'asleep@acme.example' })).user_id).toBe(id)
  })
})

describe('people whom no directory has made', () => {
  test('are found by their address, so that they are not created again', async () => {
    const { body } = await owner.call(users.invite, {
      body: { email: 'Invited@acme.example', name: 'In Vited', roles: ['developer'] },
    })
    const found = await acme.filterUsers('userName eq "invited@acme.example"')
    const managed = await acme.call(scim.replaceUser, {
      params: { id: body.id },
      body: { ...okta.user('invited@acme.example'), externalId: 'okta-7', password: undefined },
    })

    expect(found.body).toMatchObject({
      totalResults: 1,
      Resources: [{ id: body.id, userName: 'Invited@acme.example', displayName: 'In Vited', active: true }],
    })
    expect(managed).toMatchObject({ status: 200, body: { id: body.id, externalId: 'okta-7' } })
    expect(await account(body.id)).toMatchObject({ roles: ['developer'], name: 'Test User', status: 'invited' })
    expect(await acme.filterUsers('externalId eq "okta-7"')).toMatchObject({ body: { Resources: [{ id: body.id }] } })
    expect(await acme.call(scim.createUser, { body: { userName: 'INVITED@acme.example' } })).toMatchObject({
      status: 409,
    })
  })

  test('are in the list: the founders, too', async () => {
    const { body } = await acme.call(scim.listUsers, { query: { count: 2 } })

    expect(body.Resources).toMatchObject([
      { userName: acme.tenant.owner.email },
      { userName: acme.tenant.approver.email },
    ])
  })
})

describe('an account follows its resource where the resource changed', () => {
  test('in name and address, which signs in from then on', async () => {
    const { id } = await acme.user({ userName: 'old@acme.example', password: PASSWORD })
    const emails = [{ value: 'new@acme.example', primary: true }]
    await acme.patchUser(id, patchBody({ op: 'replace', value: { emails, displayName: 'New Name' } }))

    expect(await account(id)).toMatchObject({ email: 'new@acme.example', email_verified: true, name: 'New Name' })
    expect((await signIn(local, { email: 'new@acme.example' })).user_id).toBe(id)
    expect(await logIn(local, { email: 'old@acme.example' })).toMatchObject({ status: 401 })
    await local.drain()
    const mails = mailsIn(local.directory).filter(({ kind }) => kind === 'email_changed')
    expect(mails.flatMap(({ to }) => to).toSorted()).toEqual(['new@acme.example', 'old@acme.example'])
  })

  test('keeps its address when the new one is somebody else’s, and loses it when there is none any more', async () => {
    const { id } = await acme.user({ userName: 'plain-1', emails: [{ value: 'keeps@acme.example', primary: true }] })
    await acme.patchUser(id, replace('emails[primary eq true].value', acme.tenant.owner.email))
    expect(await account(id)).toMatchObject({ email: 'keeps@acme.example' })
    await acme.patchUser(id, patchBody({ op: 'remove', path: 'emails' }))
    expect(await account(id)).toMatchObject({ email: null })
    expect(await acme.user({ userName: 'keeps@acme.example' })).not.toMatchObject({ id })
  })

  test('and not where an administrator changed it otherwise', async () => {
    const { id } = await acme.user({ userName: 'renamed@acme.example', displayName: 'From the directory' })
    await owner.call(users.update, { params: { id }, body: { name: 'By hand' } })
    await acme.patchUser(id, replace('title', 'Chief'))

    expect(await account(id)).toMatchObject({ name: 'By hand' })
  })

  test('shows a suspension by an administrator, under another version', async () => {
    const made = await acme.user({ userName: 'suspended@acme.example' })
    await owner.call(users.update, { params: { id: made.id }, body: { status: 'suspended' } })
    const { body } = await acme.call(scim.getUser, { params: { id: made.id } })

    expect(body).toMatchObject({ active: false })
    expect(body.meta.version).not.toBe(made.meta.version)
  })

  test('a sign-in gives no other version', async () => {
    const made = await acme.user({ userName: 'signs-in@acme.example', password: PASSWORD })
    await signIn(local, { email: 'signs-in@acme.example' })

    expect((await acme.call(scim.getUser, { params: { id: made.id } })).headers.etag).toBe(made.meta.version)
  })
})

describe('an address that the tenant’s domains do not vouch for', () => {
  /** The account after its only link was opened, by its person if they have signed in before. */
  async function opened(id: string, email: string, { call }: Pick<LocalStack, 'call'> = local) {
    const token = await tokenFor(local, email, 'verify_email')
    expect(await call(auth.verifyEmail, { query: { token } })).toMatchObject({ status: 200 })
    return account(id)
  }
  const unverified = (email: string) => ({ email, email_verified: false })

  test('of a new account is verified by a mail', async () => {
    const email = 'new@elsewhere.example'
    const { id } = await acme.user({ userName: email, password: PASSWORD })

    expect(await account(id)).toMatchObject(unverified(email))
    const person = await signIn(local, { email })
    expect(person.user_id).toBe(id)
    expect(await opened(id, email, person)).toMatchObject({ email, email_verified: true })
  })

  test.each([
    ['a domain below it', 'one@sub.acme.example'],
    ['a domain that ends like it', 'one@not-acme.example'],
    ['a domain in the local part', '"x@acme.example"@elsewhere.example'],
  ])('is one of %s', async (_, email) => {
    const { id } = await acme.user({ userName: email })

    expect((await account(id)).email_verified).toBe(false)
  })

  test('is one of another tenant’s domain, and of one that has lapsed', async () => {
    await ownDomain(await local.tenant(), 'theirs.example')
    await ownDomain(acme.tenant, 'lapsed.example')
    const { table } = systemContext({ tenant_id: acme.tenant.tenant_id, mode: 'live' })
    const claim = await table.get(claims, { domain: 'lapsed.example' })
    if (claim) await table.commit([claims.replace({ ...claim, status: 'lapsed' }, claim)])

    for (const email of ['one@theirs.example', 'one@lapsed.example']) {
      const { id } = await acme.user({ userName: email })
      expect(await account(id)).toMatchObject(unverified(email))
    }
  })

  test('is none of the tenant’s own domain in capital letters', async () => {
    const { id } = await acme.user({ userName: 'Capital@ACME.example' })

    expect(await account(id)).toMatchObject({ email_verified: true })
  })

  test('is verified by a mail when a directory or an administrator moves the account there', async () => {
    const { id } = await acme.user({ userName: 'at-home@acme.example' })
    const [first, second] = ['away@elsewhere.example', 'by-hand@elsewhere.example']
    await acme.patchUser(id, replace('emails', [{ value: first, primary: true }]))
    expect(await account(id)).toMatchObject(unverified(first))
    expect(await opened(id, first)).toMatchObject({ email: first, email_verified: true })

    await owner.call(users.update, { params: { id }, body: { email: second } })
    expect(await account(id)).toMatchObject(unverified(second))
    expect(await opened(id, second)).toMatchObject({ email: second, email_verified: true })
  })
})

describe('a password', () => {
  test('signs in, ends all sessions, and is stored nowhere', async () => {
    const { id } = await acme.user({ userName: 'pass@acme.example', password: PASSWORD })
    const before = await signIn(local, { email: 'pass@acme.example' })
    expect(await acme.patchUser(id, okta.password(NEW_PASSWORD))).toMatchObject({ status: 200 })

    expect(await before.call(auth.me)).toMatchObject({ status: 401 })
    expect(await logIn(local, { email: 'pass@acme.example' })).toMatchObject({ status: 401 })
    expect((await signIn(local, { email: 'pass@acme.example', password: NEW_PASSWORD })).user_id).toBe(id)
    expect(JSON.stringify(await told(local, acme, 'user.updated'))).not.toContain(NEW_PASSWORD)
  })

  test('400 invalidValue: one that breaks the policy, in PATCH and PUT', async () => {
    const { id } = await acme.user({ userName: 'weak@acme.example' })
    const refused = { status: 400, body: { scimType: 'invalidValue' } }

    expect(await acme.patchUser(id, okta.password('short'))).toMatchObject(refused)
    const body = { userName: 'weak@acme.example', title: 'X', password: 'short' }
    expect(await acme.call(scim.replaceUser, { params: { id }, body })).toMatchObject(refused)
    expect((await acme.call(scim.getUser, { params: { id } })).body.title).toBeUndefined()
  })

  test('one that is known from a leak is refused, and left out of a new account', async () => {
    const { id } = await acme.user({ userName: 'before-leak@acme.example' })
    vi.stubEnv('PASSWORD_RANGE_URL', 'https://range.example/')
    setTransport(async () => {
      const body = Buffer.from(`${hash('sha1', NEW_PASSWORD, 'hex').toUpperCase().slice(5)}:3`)
      return { kind: 'answer', status: 200, headers: {}, body, body_end: 'whole', latency_ms: 1 }
    })
    const changed = await acme.patchUser(id, okta.password(NEW_PASSWORD))
    const made = await acme.user({ userName: 'leaked@acme.example', password: NEW_PASSWORD }).finally(() => {
      setTransport()
      vi.unstubAllEnvs()
    })

    expect(changed).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    expect(await account(made.id)).toMatchObject({ status: 'active' })
    expect(await logIn(local, { email: 'leaked@acme.example', password: NEW_PASSWORD })).toMatchObject({ status: 401 })
  })

  test('201: a placeholder that breaks it is left out', async () => {
    const { id } = await acme.user({ userName: 'placeholder@acme.example', password: '1mz050nq' })

    expect(await logIn(local, { email: 'placeholder@acme.example', password: '1mz050nq' })).toMatchObject({
      status: 401,
    })
    expect(await account(id)).toMatchObject({ status: 'active' })
  })
})

describe('active: false', () => {
  test('ends sessions and own keys at once, and sends one event', async () => {
    const { id } = await acme.user({ userName: 'leaves@acme.example', password: PASSWORD })
    const session = await signIn(local, { email: 'leaves@acme.example' })
    const key = await makeKey(acme.tenant, { created_by: id })
    expect(await local.call(scim.serviceProviderConfig, { key })).toMatchObject({ status: 200 })
    expect(await acme.patchUser(id, okta.deactivate)).toMatchObject({ status: 200, body: { active: false } })

    expect(await session.call(auth.me)).toMatchObject({ status: 401 })
    expect(await local.call(scim.serviceProviderConfig, { key })).toMatchObject({ status: 401 })
    expect(await logIn(local, { email: 'leaves@acme.example' })).toMatchObject({ status: 401 })
    const again = await acme.patchUser(id, okta.deactivate)
    expect(again).toMatchObject({ status: 200, body: { active: false } })
    const events = (await told(local, acme, 'user.deprovisioned')).filter(({ data }) => data.user_id === id)
    expect(events).toMatchObject([
      { data: { source: 'scim', sessions_revoked: 1, keys_revoked: 1, tasks_reassigned: 0 } },
    ])
  })

  test('active: true lets them in again, and sessions do not come back', async () => {
    const { id } = await acme.user({ userName: 'returns@acme.example', password: PASSWORD })
    const session = await signIn(local, { email: 'returns@acme.example' })
    await acme.patchUser(id, okta.deactivate)
    local.clock.moveTo(local.clock.now() + 1_000)
    await acme.patchUser(id, okta.activate)

    expect(await session.call(auth.me)).toMatchObject({ status: 401 })
    expect((await signIn(local, { email: 'returns@acme.example' })).user_id).toBe(id)
    const { table } = systemContext({ tenant_id: acme.tenant.tenant_id, mode: 'live' })
    expect(await sessionsOf(table, acme.tenant.tenant_id, id)).toHaveLength(1)
  })

  test('409: the last owner stays, also with other changes in the request', async () => {
    const { id } = acme.tenant.owner
    const body = patchBody(
      { op: 'replace', path: 'title', value: 'Gone' },
      { op: 'replace', path: 'active', value: false },
    )

    expect(await acme.patchUser(id, body)).toMatchObject({ status: 409, body: { status: '409' } })
    expect(await acme.call(scim.deleteUser, { params: { id } })).toMatchObject({ status: 409 })
    expect((await acme.call(scim.getUser, { params: { id } })).body).toMatchObject({ active: true })
    expect((await acme.call(scim.getUser, { params: { id } })).body.title).toBeUndefined()
  })
})

test('403: the key of an administrator makes no owner its own, by no password and no address', async () => {
  const { id, email } = acme.tenant.owner
  const { id: admin } = await acme.user({ userName: 'admin@acme.example' })
  const params = { id: admin }
  expect(await owner.call(users.setRoles, { params, body: { roles: ['admin'] } })).toMatchObject({ status: 200 })
  await prove(local, 'admin@acme.example')
  const { call } = acme.tenant.as({ key: await makeKey(acme.tenant, { created_by: admin }) })
  const patch = (body: object) => call(scim.patchUser, { params: { id }, body })

  expect(await patch(replace('password', NEW_PASSWORD))).toMatchObject({ status: 403, body: { status: '403' } })
  expect(await patch(replace('emails', [{ value: 'mine@evil.example', primary: true }]))).toMatchObject({ status: 403 })
  expect(await patch(replace('title', 'Founder'))).toMatchObject({ status: 200 })
  expect(await account(id)).toMatchObject({ email })
  expect(await logIn(local, { email })).toMatchObject({ status: 200 })
})

test('403: nor anybody who may do more than its maker, unless their groups give it', async () => {
  const cap = [...permissionsOfRoles(['admin'])]
  const { call } = acme.tenant.as({ key: await makeKey(acme.tenant, { cap }) })
  const password = (id: string) => call(scim.patchUser, { params: { id }, body: replace('password', NEW_PASSWORD) })
  const [{ id: clerk }, { id: member }] = [
    await acme.user({ userName: 'clerk@acme.example', password: PASSWORD }),
    await acme.user({ userName: 'by-group@acme.example' }),
  ]
  expect(
    await owner.call(users.setRoles, { params: { id: clerk }, body: { roles: ['member', 'billing'] } }),
  ).toMatchObject({ status: 200 })
  const settings = { group_roles: [{ group: 'Clerks', role: 'billing' }] }
  await owner.call(tenants.update, { params: { tenant_id: acme.tenant.tenant_id }, body: { settings } })
  await acme.group({ displayName: 'Clerks', members: [{ value: member }] })

  expect(await password(clerk)).toMatchObject({
    status: 403,
    body: {
      detail:
        'The directory cannot do this to an account with permissions that the maker of its key does not hold: billing:write. Ask somebody who holds them.',
    },
  })
  expect(await logIn(local, { email: 'clerk@acme.example' })).toMatchObject({ status: 200 })
  expect(await account(member)).toMatchObject({ group_roles: ['billing'] })
  const own = { status: 403, body: { detail: expect.stringMatching(/^A directory cannot set the password/) } }
  expect(await password(member)).toMatchObject(own)
  expect(await acme.patchUser(clerk, replace('password', NEW_PASSWORD))).toMatchObject(own)
  expect(await call(scim.patchUser, { params: { id: member }, body: replace('active', false) })).toMatchObject({
    status: 200,
  })
})

test('links that were mailed to an address end when the directory takes it away', async () => {
  const email = 'moves@acme.example'
  const { id } = await acme.user({ userName: 'moves', emails: [{ value: email }], password: PASSWORD })
  await acme.patchUser(id, replace('emails', [{ value: email, primary: true }]))
  await local.call(auth.forgotPassword, { body: { email } })
  const token = await tokenFor(local, email, 'password_reset')
  await acme.patchUser(id, patchBody({ op: 'remove', path: 'emails' }))

  expect(await account(id)).toMatchObject({ email: null })
  const reset = await local.call(auth.resetPassword, { body: { token, password: NEW_PASSWORD } })
  expect(reset).toMatchObject({
    status: 401,
    body: { detail: 'This link or token is invalid or has expired. Start again to get a new one.' },
  })
})

test('DELETE erases the account and frees its address', async () => {
  const { id } = await acme.user({ userName: 'erased@acme.example', displayName: 'To Erase', password: PASSWORD })
  const session = await signIn(local, { email: 'erased@acme.example' })
  expect(await acme.call(scim.deleteUser, { params: { id } })).toMatchObject({ status: 204 })

  expect(await session.call(auth.me)).toMatchObject({ status: 401 })
  expect(await told(local, acme, 'user.deprovisioned')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ data: expect.objectContaining({ user_id: id, source: 'scim' }) }),
    ]),
  )
  const again = await acme.user({ userName: 'erased@acme.example' })
  expect(await account(again.id)).toMatchObject({ email: 'erased@acme.example' })
})

test('an account deleted elsewhere is gone here, and its user name is free', async () => {
  const { id } = await acme.user({ userName: 'elsewhere', externalId: 'else-1' })
  expect(await owner.call(users.delete, { params: { id } })).toMatchObject({ status: 204 })

  expect(await acme.call(scim.getUser, { params: { id } })).toMatchObject({ status: 404 })
  expect(await acme.filterUsers('userName eq "elsewhere"')).toMatchObject({ body: { totalResults: 0 } })
  expect(await acme.user({ userName: 'Elsewhere', externalId: 'else-1' })).not.toMatchObject({ id })
})

test('every change sends an event and leaves evidence', async () => {
  const one = await directory(local)
  const { id } = await one.user({ userName: 'events@acme.example', displayName: 'E' })
  await one.patchUser(id, replace('title', 'Chief'))
  await one.patchUser(id, replace('title', 'Chief'))
  await one.patchUser(id, okta.deactivate)
  await one.patchUser(id, okta.activate)
  const events = await told(local, one, 'user.created', 'user.updated', 'user.deprovisioned')

  expect(events.filter(({ data }) => data.user_id === id)).toMatchObject([
    { type: 'user.created', data: { email: 'events@acme.example', roles: ['member'], source: 'scim' } },
    { type: 'user.updated', data: { changed_fields: ['title'], source: 'scim', actor: { type: 'api_key' } } },
    { type: 'user.deprovisioned', data: { source: 'scim' } },
    { type: 'user.updated', data: { changed_fields: ['status'], source: 'scim' } },
  ])
  for (const { data } of events) expect(data.evidence_artifact_id).toMatch(/^art_/)
})
