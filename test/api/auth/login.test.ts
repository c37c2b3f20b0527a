import { beforeAll, describe, expect, test, vi } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { users as people } from '../../../functions/users/routes.ts'
import { auditEntries, auditPartition } from '../../../shared/ledger/audit/entry.ts'
import type { ClientPlugin } from '../../../shared/base/aws/clients.ts'
import { openTable } from '../../../shared/base/context.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { type User, users } from '../../../shared/identity/accounts/user.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { tokenFor } from '../../support/mailbox.ts'
import { claimsOf, logIn, signIn } from '../../support/sign-in.ts'
import { rewrite } from '../../support/rewrite.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

/** Every call of the functions to AWS, by service and operation. */
let made: string[] = []
type Next = (args: object) => Promise<object>
type Stack = { add: (middleware: (next: Next, context: { commandName?: string }) => Next, options: object) => void }
const counting: ClientPlugin = (client, service) => {
  const count =
    (next: Next, { commandName = '' }: { commandName?: string }): Next =>
    (args) => {
      made.push(`${service}.${commandName}`)
      return next(args)
    }
  client.middlewareStack.use({
    applyToStack: (stack: Stack) => stack.add(count, { step: 'initialize', name: 'count' }),
  })
}

const local = useLocalStack({ plugins: [counting] })
let acme: TestTenant
beforeAll(async () => {
  acme = await local.tenant()
})

describe('POST /api/v1/auth/login', () => {
  test('200: the founder of a tenant signs in with e-mail and password', async () => {
    const { owner, tenant_id } = acme
    const reply = await logIn(local, { email: owner.email })

    expect(reply).toMatchObject({
      status: 200,
      body: {
        access_token: expect.any(String),
        refresh_token: expect.stringMatching(/^rt_[0-9a-f-]{36}\.[A-Za-z0-9_-]{43}$/),
        token_type: 'Bearer',
        expires_in: 900,
        refresh_expires_in: 604_800,
        user: { id: owner.id, email: owner.email, name: 'Owner', roles: ['owner'], tenant_id },
      },
    })
    expect(reply.body.mfa_enrollment_required).toBeUndefined()
    expect(claimsOf(reply.body.access_token)).toMatchObject({
      sub: owner.id,
      email: owner.email,
      tenant_id,
      roles: ['owner'],
      token_use: 'access',
    })
  })

  test('the access token opens the API with the rights of the role', async () => {
    const { call } = await signIn(local, acme.approver)

    expect((await call(auth.me)).body).toMatchObject({
      id: acme.approver.id,
      email: acme.approver.email,
      roles: ['approver'],
      tenant: { id: acme.tenant_id },
    })
  })

  test('the unversioned path does the same', async () => {
    const body = { email: acme.owner.email, password: PASSWORD }

    expect((await local.call(auth.loginUnversioned, { body })).body.user.id).toBe(acme.owner.id)
  })

  test('an address is the same however it is written', async () => {
    expect((await logIn(local, { email: acme.owner.email.toUpperCase() })).status).toBe(200)
  })

  test('401: everything that does not fit is refused in the same words, with the same calls', async () => {
    const suspended = await local.tenant()
    await end(suspended, 'suspended')
    const attempts = {
      'wrong password': { email: acme.owner.email, password: 'wrong password' },
      'unknown address': { email: 'nobody@elsewhere.example' },
      'wrong tenant': { email: acme.owner.email, tenant_id: suspended.tenant_id },
      'unknown tenant': { email: acme.owner.email, tenant_id: 'ten_missing' },
      'suspended account': { email: suspended.owner.email },
    }
    const seen = new Set<string>()
    for (const [name, attempt] of Object.entries(attempts)) {
      made = []
      const { status, body } = await logIn(local, attempt)

      expect({ status, ...body, request_id: '' }, name).toEqual({
        status: 401,
        detail: 'The e-mail address or the password is incorrect. Check both and try again.',
        code: 'unauthenticated',
        request_id: '',
      })
      if (name !== 'suspended account') seen.add(made.toSorted().join(' ')) // the pool asks about that one
    }
    expect([...seen], 'one and the same sequence of calls').toHaveLength(1)
  })

  test('an address with accounts in several tenants signs in where its password fits', async () => {
    const email = 'carla@several.example'
    const first = await invited(acme, email, 'the first of her passwords')
    const second = await invited(await local.tenant(), email, 'the second of her passwords')

    expect((await logIn(local, { email, password: 'the first of her passwords' })).body.user.tenant_id).toBe(first)
    expect((await logIn(local, { email, password: 'the second of her passwords' })).body.user.tenant_id).toBe(second)
    const astray = { email, password: 'the second of her passwords', tenant_id: first }
    expect((await logIn(local, astray)).status).toBe(401)
  })

  test('invitations that wait elsewhere, however many, keep nobody out', async () => {
    const email = 'dana@several.example'
    for (let waiting = 0; waiting < 3; waiting += 1) {
      const { call } = await signIn(local, (await local.tenant()).owner)
      await call(people.invite, { body: { email, roles: ['member'] } })
    }
    await local.drain() // the last invitation is the one that is accepted
    const joined = await invited(await local.tenant(), email, 'her only password anywhere')

    expect(await logIn(local, { email, password: 'her only password anywhere' })).toMatchObject({
      status: 200,
      body: { user: { tenant_id: joined } },
    })
  })

  test('403: a tenant that was closed lets nobody in', async () => {
    const closed = await local.tenant()
    await openTable().update({ pk: `T#${closed.tenant_id}#live`, sk: 'TENANT' }, { set: { status: 'closed' } })
    await local.advance(30_000)

    expect(await logIn(local, closed.owner)).toMatchObject({
      status: 403,
      body: { detail: 'Your tenant is closed. Ask an owner of it.' },
    })
  })

  test('429: after too many wrong passwords there is a pause, for an unknown address as well', async () => {
    for (const email of [(await local.tenant()).owner.email, 'somebody@unknown.example']) {
      let last = await logIn(local, { email, password: 'wrong password' })
      for (let i = 0; i < 6; i += 1) last = await logIn(local, { email, password: 'wrong password' })

      expect(last, email).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } })
    }
  })

  test('a failed sign-in is in the audit log of its tenant', async () => {
    const tenant = await local.tenant()
    await logIn(local, { ...tenant.owner, password: 'wrong password' })
    const pk = auditPartition({ tenant_id: tenant.tenant_id, mode: 'live' }, iso(local.clock.now()).slice(0, 7))
    const entries = await openTable().query(auditEntries, { pk })

    expect(entries.filter(({ outcome }) => outcome === 'failure')).toMatchObject([
      {
        action: 'user.sign_in',
        resource: { type: 'user', id: tenant.owner.id },
        reason: 'wrong password or not allowed',
      },
    ])
  })
})

test('the audit log shows from which country somebody signed in, or tried to', async () => {
  vi.stubEnv('TRUSTED_PROXY_HOPS', '1')
  const { owner, tenant_id } = await local.tenant()
  const fromGermany = { headers: { 'x-forwarded-for': '193.99.144.80' } }
  await logIn(local, { ...owner, password: 'wrong password' }, fromGermany)
  const { call } = await signIn(local, owner, fromGermany)
  vi.unstubAllEnvs()
  const { body } = await call(security.auditLogs, { params: { tenant_id }, query: { ip: '193.99.144.80' } })

  expect(body.items).toMatchObject([
    { action: 'session.started', outcome: 'success', country: 'DE' },
    { action: 'user.sign_in', outcome: 'failure', country: 'DE' },
  ])
})

const end = ({ tenant_id, owner }: TestTenant, status: User['status']) =>
  rewrite(users, { tenant_id, id: owner.id }, { status })

/** Answers the tenant. */
async function invited(tenant: TestTenant, email: string, password: string): Promise<string> {
  const { call } = await signIn(local, tenant.owner)
  await call(people.invite, { body: { email, roles: ['member'] } })
  const token = await tokenFor(local, email, 'invitation')
  const reply = await local.call(auth.resetPassword, { body: { token, password } })
  if (reply.status !== 200) throw new Error('the invitation was not accepted')
  return tenant.tenant_id
}
