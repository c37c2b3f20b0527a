// Somebody registers the address of another person, or makes accounts for it, before that person comes.
import { beforeAll, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { billing } from '../../../functions/billing/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { integrations } from '../../../functions/integrations/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { users as people } from '../../../functions/users/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { emailHash, emails, type User, users } from '../../../shared/identity/accounts/user.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { anyRoute, bodyOf, manifest } from '../../support/any-route.ts'
import { caller, type Reply } from '../../support/call.ts'
import { enrolPasskey, enrolTotp, newEmulator, showFactor } from '../../support/factors.ts'
import { makeKey } from '../../support/keys.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { mailsTo, tokenFor } from '../../support/mailbox.ts'
import { freshAddress, personWith } from '../../support/people.ts'
import { logIn, ownerInPerson, signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await local.tenant()
})

const STRANGERS = 'the password of a stranger'
const OWN = 'the password of the person'

const WEBHOOK = { name: 'All', url: 'https://93.184.216.34/hook', events: ['*'] }
const CLIENT = {
  name: 'Planted',
  type: 'confidential',
  grant_types: ['client_credentials'],
  scopes: ['governance:read'],
}
const METADATA = { redirect_uris: ['https://client.example/cb'] }
const ANY_TOKEN = { expires_in: 600 }

/** An account at a stranger's address, and a session of whoever made it. */
async function squat(email = freshAddress()) {
  expect((await local.call(auth.register, { body: { email, password: STRANGERS } })).status).toBe(201)
  const session = await signIn(local, { email, password: STRANGERS })
  return { email, session }
}

const tenantOf = ({ claims }: SignedIn) => String(claims.tenant_id)

async function stored({ user_id, ...session }: SignedIn): Promise<User> {
  const { table } = systemContext({ tenant_id: 'any', mode: 'live' })
  const user = await table.get(users, { tenant_id: tenantOf({ user_id, ...session }), id: user_id })
  if (!user) throw new Error('no such account')
  return user
}

/** Changes the account past the service's rules, as if its address had been verified before. */
async function over(session: SignedIn, change: Partial<User>): Promise<void> {
  const { table } = systemContext({ tenant_id: 'any', mode: 'live' })
  const was = await stored(session)
  await table.commit([users.replace({ ...was, ...change }, was as User & { _v: number })])
}

const reset = async (email: string, password = OWN) => {
  await local.call(auth.forgotPassword, { body: { email } })
  const token = await tokenFor(local, email, 'password_reset')
  return local.call(auth.resetPassword, { body: { token, password } })
}

const bare = async (email: string, call = local.call) =>
  call(auth.verifyEmail, { query: { token: await tokenFor(local, email, 'verify_email') } })

describe('with an address that nobody has proven', () => {
  const PLANTED: [string, Route, object?][] = [
    ['an OAuth client', clients.create, CLIENT],
    ['a registration token', clients.createRegistrationToken, ANY_TOKEN],
    ['an API key', keys.create, { name: 'Planted', kind: 'live', scopes: ['governance:read'] }],
    ['a key for the sandbox', keys.create, { name: 'Planted', kind: 'test', scopes: ['governance:read'] }],
    ['a webhook', webhooks.create, WEBHOOK],
    ['a target', protocol.registerManifest, { manifest: manifest() }],
    ['a connector', integrations.createConnector],
    ['a checkout', billing.checkout],
    ['an invitation', people.invite, { email: 'next@example.com', roles: ['owner'] }],
  ]

  test.each(PLANTED)('403: nobody makes %s', async (_, route, body = bodyOf(route)) => {
    const { session } = await squat()

    const refused = await anyRoute(session.call)(route, { body })

    expect(refused).toMatchObject({
      status: 403,
      body: { code: 'address_unverified', detail: expect.stringContaining('is not verified') },
    })
  })

  test('a person uses their own account, and the sandbox', async () => {
    const { session } = await squat()
    const inTest = { 'x-mode': 'test' }

    expect((await session.call(auth.updateMe, { body: { name: 'Anna' } })).status).toBe(200)
    expect((await session.call(webhooks.create, { headers: inTest, body: WEBHOOK })).status).toBe(201)
    expect((await session.call(auth.logout, { body: {} })).status).toBe(200)
  })

  test('a key does no more than its maker, until the address is verified again', async () => {
    const owner = await ownerInPerson(local, acme)
    const admin = await showFactor(local, await personWith(local, owner, ['admin']))
    const ask = { name: 'Theirs', kind: 'live', scopes: ['governance:write'] }
    const { body: own } = await admin.call(keys.create, { body: ask })
    const { body: service } = await admin.call(keys.create, { body: { ...ask, service: true } })
    let version = 0
    const make = (key: string) =>
      caller(local, key)(protocol.registerManifest, { body: { manifest: manifest(`1.0.${(version += 1)}`) } })
    const email = freshAddress()
    await owner.call(people.update, { params: { id: admin.user_id }, body: { email } })

    expect(await make(own.key)).toMatchObject({
      status: 403,
      body: { code: 'address_unverified', detail: expect.stringContaining('who made this credential') },
    })
    expect((await make(service.key)).status, 'of the tenant').toBe(201)
    expect((await bare(email, admin.call)).status).toBe(200)
    expect((await make(own.key)).status).toBe(201)
  })

  test('a registration token and a client do no more than their maker', async () => {
    const owner = await ownerInPerson(local, acme)
    const admin = await personWith(local, owner, ['admin'])
    const { body: token } = await admin.call(clients.createRegistrationToken, { body: ANY_TOKEN })
    await owner.call(people.update, { params: { id: admin.user_id }, body: { email: freshAddress() } })

    const made = await local.call(oauth.register, { key: token.token, body: METADATA })

    expect(made.status).toBe(401)
  })
})

describe('the first proof by a new password', () => {
  /** What a stranger plants once the link was opened without the password, and the calls that show whether it still works. */
  async function plant(email: string, session: SignedIn): Promise<Record<string, () => Promise<Reply>>> {
    const made = async (route: Route, body: object, headers = {}) => {
      const { status, body: answer } = await anyRoute(session.call)(route, { body, headers })
      if (status !== 201) throw new Error(JSON.stringify(answer))
      return answer
    }
    const key = await made(keys.create, { name: 'Planted', kind: 'live', scopes: ['governance:read'] })
    const service = await made(keys.create, {
      name: 'Planted',
      kind: 'live',
      scopes: ['diagnostic:read'],
      service: true,
    })
    const sandbox = await made(keys.create, { name: 'Planted', kind: 'test', scopes: ['governance:read'] })
    const registration = await made(clients.createRegistrationToken, ANY_TOKEN)
    const client = await made(clients.create, CLIENT)
    await made(webhooks.create, WEBHOOK)
    await made(webhooks.create, WEBHOOK, { 'x-mode': 'test' })
    const admin = await makeKey({ tenant_id: tenantOf(session), owner: { id: session.user_id } }, { scopes: ['admin'] })
    expect((await caller(local, admin)(webhooks.create, { body: WEBHOOK })).status).toBe(201)
    const { app } = await enrolTotp(local, session)
    await enrolPasskey(session, newEmulator(), local.appUrl)
    const other = await logIn(local, { email, password: STRANGERS })
    const { access_token } = (
      await local.call(mfa.verify, { body: { mfa_token: other.body.mfa_token, method: 'totp', code: app.nextCode() } })
    ).body
    const use = (credential: string) => () => caller(local, credential)(auth.me)
    const form = {
      grant_type: 'client_credentials',
      client_id: client.client_id,
      client_secret: client.client_secret,
      scope: 'governance:read',
    }
    return {
      session: use(session.access_token),
      'another session': use(access_token),
      key: () => caller(local, key.key)(protocol.listManifests),
      'key of the tenant': () => caller(local, service.key)(webhooks.list),
      'key of the sandbox': () => caller(local, sandbox.key)(protocol.listManifests),
      client: () =>
        local.call(oauth.token, {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(form).toString(),
        }),
      'registration token': () => local.call(oauth.register, { key: registration.token, body: METADATA }),
    }
  }

  const statuses = async (uses: Record<string, () => Promise<Reply>>) => {
    const found = Object.entries(uses).map(async ([name, use]) => [name, (await use()).status] as const)
    return Object.fromEntries(await Promise.all(found))
  }

  test('ends all that was made with the account before, also after a program opened the link', async () => {
    const email = freshAddress()
    await local.call(auth.register, { body: { email, password: STRANGERS } })
    expect((await bare(email)).status, 'a scanner of mails').toBe(200)
    const squatter = await signIn(local, { email, password: STRANGERS })
    const uses = await plant(email, squatter)
    const { 'registration token': registers, ...reusable } = uses
    const before = await statuses(reusable)
    expect(before, JSON.stringify(before)).toEqual(Object.fromEntries(Object.keys(reusable).map((name) => [name, 200])))

    expect((await reset(email)).status).toBe(200)

    expect(await statuses(reusable)).toEqual(Object.fromEntries(Object.keys(reusable).map((name) => [name, 401])))
    expect((await registers?.())?.status).toBe(401)
    expect((await logIn(local, { email, password: STRANGERS })).status).toBe(401)
    const person = await signIn(local, { email, password: OWN }) // no factor is asked for
    expect((await person.call(auth.me)).body).toMatchObject({
      email_verified: true,
      mfa: { enrolled: false, factors: [] },
    })
    for (const mode of ['live', 'test']) {
      const { body } = await person.call(webhooks.list, { headers: { 'x-mode': mode } })
      expect(body.items, mode).toEqual([])
    }
    expect((await person.call(webhooks.create, { body: WEBHOOK })).status, 'the account is theirs').toBe(201)
  })

  test('ends the factors and sessions of who only registered', async () => {
    const { email, session } = await squat()
    await enrolTotp(local, session)

    expect((await reset(email)).status).toBe(200)

    expect((await session.call(auth.me)).status).toBe(401)
    expect((await signIn(local, { email, password: OWN })).user_id).toBe(session.user_id)
  })

  test('a later one ends nothing but sessions', async () => {
    const { email, session } = await squat()
    expect((await bare(email, session.call)).status).toBe(200)
    const { body } = await session.call(keys.create, {
      body: { name: 'CI', kind: 'live', scopes: ['governance:read'] },
    })
    await enrolTotp(local, session)

    expect((await reset(email)).status).toBe(200)

    expect((await caller(local, body.key)(protocol.listManifests)).status).toBe(200)
    expect((await logIn(local, { email, password: OWN })).body).toMatchObject({ mfa_required: true })
  })

  test('an interrupted one is finished by the same link', async () => {
    const { email, session } = await squat()
    await over(session, { email_verified: true, verified_by: 'link' })
    const { body } = await session.call(keys.create, {
      body: { name: 'CI', kind: 'live', scopes: ['governance:read'] },
    })
    await over(session, { tokens_valid_after: new Date(local.clock.now() + 1).toISOString() }) // the first commit was all

    expect((await reset(email)).status).toBe(200)

    expect((await caller(local, body.key)(protocol.listManifests)).status).toBe(401)
  })
})

describe('the link of a verification', () => {
  test('409: without session or password it says nothing about an account that was used', async () => {
    const { email, session } = await squat()

    expect(await bare(email)).toMatchObject({ status: 409, body: { code: 'password_needed' } })
    expect((await session.call(auth.me)).body.email_verified).toBe(false)
  })

  test('409: nor does the session of somebody else', async () => {
    const { email } = await squat()
    const { session: another } = await squat()

    expect((await bare(email, another.call)).status).toBe(409)
  })

  test('200: opened in the session that registered, it ends nothing', async () => {
    const { email, session } = await squat()
    await enrolTotp(local, session)

    expect(await bare(email, session.call)).toMatchObject({ status: 200, body: { email, verified: true } })

    expect((await session.call(auth.me)).body).toMatchObject({ email_verified: true, mfa: { enrolled: true } })
    expect(await stored(session)).toMatchObject({ verified_by: 'person' })
  })
})

describe('accounts that strangers made for an address', () => {
  /** Tenants whose directories have accounts at the address, with a password, used just now. */
  async function claim(email: string, count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      const { tenant_id, live_key } = await local.tenant()
      const made = await caller(local, live_key)(scim.createUser, {
        body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: email, password: STRANGERS },
        headers: { 'content-type': 'application/scim+json' },
      })
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      expect((await logIn(local, { email, password: STRANGERS, tenant_id })).status).toBe(200)
    }
  }

  test.each([3, 50])(
    '%i of them keep nobody from signing in, from a new password and from registering',
    async (count) => {
      const email = freshAddress()
      await claim(email, count)

      expect((await local.call(auth.register, { body: { email, password: OWN } })).status).toBe(201)
      const unverified = await signIn(local, { email, password: OWN })
      const mails = await mailsTo(local, email)
      expect(mails.filter(({ kind }) => kind === 'verify_email')).not.toEqual([])
      expect((await bare(email, unverified.call)).status).toBe(200)
      await claim(email, 1) // newer than the proof

      expect((await signIn(local, { email, password: OWN })).user_id).toBe(unverified.user_id)
      await local.call(auth.forgotPassword, { body: { email } })
      const resets = (await mailsTo(local, email)).filter(({ kind }) => kind === 'password_reset')
      expect(resets.length).toBeLessThanOrEqual(5)
      const token = new URL(resets[0]?.links[0] ?? '').searchParams.get('token') ?? ''
      expect((await local.call(auth.resetPassword, { body: { token, password: `${OWN}, again` } })).status).toBe(200)
      const person = await signIn(local, { email, password: `${OWN}, again` })
      expect(person.user_id, 'the first mail is for the proven account').toBe(unverified.user_id)
    },
  )

  test('the proof stands beside the address, and goes with it', async () => {
    const { email, session } = await squat()
    const { table } = systemContext({ tenant_id: 'any', mode: 'live' })
    const claimed = async (address: string) =>
      (await table.get(emails, { email_hash: emailHash(address), tenant_id: tenantOf(session) }))?.claim
    expect(await claimed(email)).toBe('registered')
    await bare(email, session.call)
    expect(await claimed(email)).toBe('proven')

    const next = freshAddress()
    const moved = await (
      await showFactor(local, session)
    ).call(people.update, { params: { id: session.user_id }, body: { email: next } })

    expect(moved.status, JSON.stringify(moved.body)).toBe(200)
    expect([await claimed(email), await claimed(next)]).toEqual([undefined, undefined])
  })

  test('409: a proven address is not registered again, and neither is one that is being registered', async () => {
    const { email } = await squat()

    for (const address of [email, acme.owner.email])
      expect((await local.call(auth.register, { body: { email: address, password: OWN } })).status).toBe(409)
  })
})

test('PASSWORD is the one of founded people, for whom the operator vouches', async () => {
  const owner = await signIn(local, { ...acme.owner, password: PASSWORD })

  expect(await stored(owner)).toMatchObject({ email_verified: true, verified_by: 'operator' })
})
