import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { openTable } from '../../../shared/base/context.ts'
import { forgetTenant, freshTenant } from '../../../shared/base/tenant/find.ts'
import { SessionPolicy, tenants } from '../../../shared/base/tenant/tenant.ts'
import { faultyPool } from '../../support/faulty-pool.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { ownerInPerson, signIn } from '../../support/sign-in.ts'
import { stillClock } from '../../support/still-clock.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const clock = stillClock()
const pool = faultyPool()

const local = useLocalStack({ clock, plugins: [pool.plugin] })
let acme: TestTenant
beforeEach(async () => {
  acme = await local.tenant()
})

const later = (ms: number) => clock.moveTo(clock.now() + ms)
const policyAt = () => ({ params: { tenant_id: acme.tenant_id } })
/** As the endpoint would have left it. */
const setPolicy = async (body: Partial<SessionPolicy>) => {
  const table = openTable()
  const tenant = await freshTenant(table, acme.tenant_id)
  await table.commit([tenants.replace({ ...tenant, session_policy: SessionPolicy.parse(body) }, tenant)])
  forgetTenant(acme.tenant_id)
}
const statusOf = async ({ call }: Pick<TestTenant, 'call'>) => (await call(auth.me)).status

describe('POST /api/v1/auth/logout', () => {
  test('200: ends the session, its tokens and those of the pool', async () => {
    const here = await signIn(local, acme.owner)
    const there = await signIn(local, acme.owner)
    pool.called()

    expect(await here.call(auth.logout, { body: {} })).toMatchObject({ status: 200, body: { status: 'signed_out' } })
    expect(pool.called()).toContain('RevokeToken')
    expect(await statusOf(here)).toBe(401)
    expect((await local.call(auth.refresh, { body: { refresh_token: here.refresh_token } })).status).toBe(401)
    expect(await statusOf(there)).toBe(200)
  })

  test('leaves evidence that names the session and no secret', async () => {
    const { call, claims, refresh_token } = await signIn(local, acme.owner)
    await call(auth.logout, { body: {} })
    const { body } = await acme.call(evidence.latest, { query: { type: 'identity.session.revoked' } })

    expect(body.items[0]).toMatchObject({ subject: { type: 'session', id: claims.origin_jti } })
    expect(JSON.stringify(body)).not.toContain(refresh_token.slice(-43))
  })
})

describe('GET /api/v1/auth/sessions', () => {
  test('200: the own ones, newest first, with the caller marked', async () => {
    const first = await signIn(local, acme.owner, { ip: '127.0.0.7', headers: { 'user-agent': 'Phone' } })
    later(MINUTE)
    const second = await signIn(local, acme.owner, { headers: { 'user-agent': 'Laptop' } })
    await signIn(local, acme.approver)
    const { status, body } = await second.call(auth.listSessions)

    expect(status).toBe(200)
    expect(body.items).toEqual([
      expect.objectContaining({ id: second.claims.origin_jti, user_agent: 'Laptop', current: true, amr: ['pwd'] }),
      expect.objectContaining({ id: first.claims.origin_jti, user_agent: 'Phone', current: false, ip: '127.0.0.7' }),
    ])
    expect(Object.keys(body.items[0]).toSorted()).toEqual(
      ['amr', 'country', 'created_at', 'current', 'id', 'ip', 'last_seen', 'user_agent'].toSorted(),
    )
  })

  test('200: without those that the policy has ended', async () => {
    await signIn(local, acme.owner)
    await setPolicy({ idle_s: 300 })
    later(5 * MINUTE)
    const here = await signIn(local, acme.owner)

    expect((await here.call(auth.listSessions)).body.items).toMatchObject([{ id: here.claims.origin_jti }])
  })

  test('200: in both styles, by cursors that are of no use to somebody else', async () => {
    const here = await signIn(local, acme.owner)
    await signIn(local, acme.owner)
    const other = await signIn(local, acme.approver)
    const list = (query: object, by = here) => by.call(auth.listSessions, { query: { ...query } })
    const { items } = (await list({})).body
    const { next_cursor: cursor } = (await list({ limit: 1 })).body

    expect((await list({ cursor })).body).toMatchObject({ items: items.slice(1), total: 2, has_more: false })
    expect((await list({ offset: 1 })).body).toMatchObject({ items: items.slice(1), total: 2, limit: 50, offset: 1 })
    expect(await list({ cursor }, other)).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
  })
})

describe('DELETE /api/v1/auth/sessions/{id}', () => {
  test('204: ends another of the own sessions at once, 404 afterwards', async () => {
    const [here, lost] = [await signIn(local, acme.owner), await signIn(local, acme.owner)]
    const end = () => here.call(auth.endSession, { params: { id: lost.claims.origin_jti } })

    expect((await end()).status).toBe(204)
    expect(await statusOf(lost)).toBe(401)
    expect((await end()).status).toBe(404)
    expect(await statusOf(here)).toBe(200)
  })

  test('404: of the same tenant or not, somebody else’s session looks like a missing one', async () => {
    const here = await signIn(local, acme.owner)
    const [colleague, stranger] = [
      await signIn(local, acme.approver),
      await signIn(local, (await local.tenant()).owner),
    ]
    const end = (id: string) => here.call(auth.endSession, { params: { id } })
    const missing = await end('0f9d3c52-6a54-4c0e-9b57-3c1d8f1f2a77')

    for (const other of [colleague, stranger]) {
      const reply = await end(other.claims.origin_jti)
      expect({ ...reply.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
      expect(await statusOf(other)).toBe(200)
    }
  })
})

describe('the session policy of a tenant', () => {
  test('200: starts with the defaults, and changes as a whole', async () => {
    const defaults = {
      lifetime_s: 604_800,
      refresh_ttl_s: 604_800,
      idle_s: 0,
      max_concurrent: 10,
      password_min_length: 12,
    }
    const before = await acme.call(auth.sessionPolicy, policyAt())
    expect(before).toMatchObject({ status: 200, body: defaults })

    const owner = await ownerInPerson(local, acme)
    const body = { idle_s: 600, version: before.body.version }
    expect(await owner.call(auth.setSessionPolicy, { ...policyAt(), body })).toMatchObject({
      status: 200,
      body: { ...defaults, idle_s: 600, version: before.body.version + 1 },
    })
    expect((await owner.call(auth.setSessionPolicy, { ...policyAt(), body })).status, 'a stale version').toBe(409)
  })

  test.each([
    { lifetime_s: 3_599 },
    { lifetime_s: 2_592_001 },
    { refresh_ttl_s: 899 },
    { lifetime_s: 3_600 },
    { idle_s: 1 },
    { idle_s: 604_801 },
    { max_concurrent: 0 },
    { max_concurrent: 101 },
    { password_min_length: 7 },
    { password_min_length: 65 },
    { anything: 1 },
  ])('422: %j', async (body) => {
    const owner = await ownerInPerson(local, acme)
    expect((await owner.call(auth.setSessionPolicy, { ...policyAt(), body })).status).toBe(422)
  })

  test('403: is not for members', async () => {
    const { call } = await signIn(local, acme.approver)

    expect((await call(auth.setSessionPolicy, { ...policyAt(), body: {} })).status).toBe(403)
    expect((await call(auth.sessionPolicy, policyAt())).status).toBe(403)
  })

  test('a shorter life ends sessions that began before', async () => {
    const session = await signIn(local, acme.owner)
    later(59 * MINUTE)
    await setPolicy({ lifetime_s: 3_600, refresh_ttl_s: 3_600 })
    const next = await local.call(auth.refresh, { body: { refresh_token: session.refresh_token } })
    expect(next.body.refresh_expires_in, 'the token keeps its own end').toBeLessThanOrEqual(604_800)
    later(MINUTE)

    expect((await local.call(auth.refresh, { body: { refresh_token: next.body.refresh_token } })).status).toBe(401)
  })

  test('idle sessions end, used ones go on', async () => {
    await setPolicy({ idle_s: 300 })
    const [used, idle] = [await signIn(local, acme.owner), await signIn(local, acme.owner)]
    later(4 * MINUTE)
    expect(await statusOf(used)).toBe(200)
    later(4 * MINUTE)

    expect(await statusOf(used)).toBe(200)
    expect(await statusOf(idle)).toBe(401)
  })

  test('a further sign-in ends the session that was used longest ago', async () => {
    await setPolicy({ max_concurrent: 2 })
    const first = await signIn(local, acme.owner)
    later(MINUTE)
    const second = await signIn(local, acme.owner)
    later(MINUTE)
    await statusOf(first)
    const third = await signIn(local, acme.owner)

    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([200, 401, 200])
  })

  test('longer passwords are asked for when they are set', async () => {
    await setPolicy({ password_min_length: 40 })
    const { call } = await signIn(local, acme.owner)
    const body = { current_password: 'correct horse battery staple', new_password: 'p'.repeat(39) }

    expect((await call(auth.changePassword, { body })).status).toBe(422)
  })
})

test('no session outlives its seven days, however often it is refreshed', async () => {
  let { refresh_token } = await signIn(local, acme.owner)
  const refresh = () => local.call(auth.refresh, { body: { refresh_token } })
  for (let day = 1; day < 7; day += 1) {
    later(DAY)
    refresh_token = (await refresh()).body.refresh_token
  }
  later(DAY)

  expect((await refresh()).status).toBe(401)
})

test('a sign-in sends an event, a refresh does not', async () => {
  const session = await signIn(local, acme.owner, { headers: { 'user-agent': 'Laptop' } })
  await local.call(auth.refresh, { body: { refresh_token: session.refresh_token } })
  await local.drain()
  const { body } = await acme.call(events.list, { query: { limit: 100 } })
  const logins = body.items.filter(({ type }: { type: string }) => type === 'user.login')

  expect(logins).toHaveLength(1)
  expect(logins[0].data).toMatchObject({
    user_id: acme.owner.id,
    method: 'password',
    mfa: 'none',
    user_agent: 'Laptop',
    session_id: session.claims.origin_jti,
    actor: { type: 'user', id: acme.owner.id },
  })
})
