// What a genuine token opens, and what ends it: session and account are read on every request.
import { describe, expect, test, afterEach, beforeEach } from 'vitest'
import * as z from 'zod'
import { setRuntime } from '../../../shared/base/context.ts'
import { endpoint } from '../../../shared/edge/endpoint.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { type Session, sessions } from '../../../shared/identity/sessions/session.ts'
import { type User, users } from '../../../shared/identity/accounts/user.ts'
import { Tenant } from '../../../shared/base/tenant/tenant.ts'
import { rewrite } from '../../support/rewrite.ts'
import { SID, startTokenIssuer, SUB, type TokenIssuer } from '../../support/token-issuer.ts'
import { type Deployment, deploy, type Reply, route, TABLE } from './deployment.ts'
import { account, session, TENANT } from './signed-in.ts'

const MINUTE = 60_000

const shapes = { response: z.object({ mode: z.string(), user: z.string(), roles: z.array(z.string()) }) }
const whoAmI = endpoint(route({ evidence: { none: 'test' }, success: 200 }), shapes, async ({ ctx }) => ({
  mode: ctx.space.mode,
  user: ctx.principal.id,
  roles: [...ctx.principal.roles],
}))

let service: Deployment
let issuer: TokenIssuer
let time: number

beforeEach(async () => {
  service = await deploy()
  coldStart()
  time = service.clock.now()
  setRuntime({ clock: { ...service.clock, now: () => time } })
  issuer = await startTokenIssuer({ tenant_id: TENANT, now: () => time })
  await service.ctx.table.commit([users.insert(account()), sessions.insert(session(time))])
})
afterEach(() => issuer.stop())

const call = (token: string, headers: Record<string, string> = {}): Promise<Reply> =>
  service.send(whoAmI, { headers: { Authorization: `Bearer ${token}`, ...headers } })

const refused = {
  status: 401,
  headers: { 'WWW-Authenticate': expect.stringMatching(/^Bearer realm="countersign", resource_metadata=/) },
  body: {
    detail: 'Your credentials are invalid or expired. Sign in again or use another key.',
    code: 'unauthenticated',
    request_id: expect.any(String),
  },
}

const setSession = (over: Partial<Session>) => rewrite(sessions, { sid: SID }, over)
const setUser = (over: Partial<User>) => rewrite(users, { tenant_id: TENANT, id: SUB }, over)

describe('a genuine token', () => {
  test('opens the API as its person, whatever roles it names itself', async () => {
    const reply = await call(await issuer.sign({ roles: ['billing'] }))

    expect(reply).toMatchObject({ status: 200, body: { mode: 'live', user: SUB, roles: ['owner'] } })
  })

  test('may come without an audience when the pool drops it', async () => {
    expect((await call(await issuer.sign({ aud: undefined }))).status).toBe(200)
  })

  test('works in its last second and five more, for clocks that differ', async () => {
    const token = await issuer.sign()
    const end = (Math.floor(time / 1_000) + 900) * 1_000

    time = end + 4_999
    expect((await call(token)).status).toBe(200)
    time = end + 5_000
    expect((await call(token)).status).toBe(401)
  })

  test('looks at live data, and at the sandbox when asked', async () => {
    const token = await issuer.sign()

    expect((await call(token, { 'X-Mode': 'test' })).body).toMatchObject({ mode: 'test' })
    expect((await call(token, { 'X-Mode': 'live' })).body).toMatchObject({ mode: 'live' })
    expect(await call(token, { 'X-Mode': 'both' })).toMatchObject({ status: 400 })
  })

  test('costs one read of the key set in an hour', async () => {
    for (let i = 0; i < 3; i += 1) await call(await issuer.sign())

    expect(issuer.served.reads).toBe(1)
  })

  test('costs one call of the table for session, account and tenant, and none more when the tenant is known', async () => {
    const token = await issuer.sign()
    for (const round of ['cold', 'warm']) {
      const before = { ...service.table.calls }
      await call(token)

      expect((service.table.calls.BatchGetItem ?? 0) - (before.BatchGetItem ?? 0), round).toBe(1)
      expect(service.table.calls.GetItem ?? 0, round).toBe(before.GetItem ?? 0)
    }
  })
})

describe('is refused at the next request', () => {
  const ENDINGS: Record<string, () => Promise<void> | void> = {
    'when its session was revoked': () => setSession({ state: 'revoked' }),
    'when its session is gone': async () => service.ctx.table.commit([sessions.remove({ sid: SID })]),
    "when its session is somebody else's": () => setSession({ user_id: 'other' }),
    'when its account was suspended': () => setUser({ status: 'suspended' }),
    'when everything of the account was ended': () => setUser({ tokens_valid_after: new Date(time + 1).toISOString() }),
    'when its session has lived its life': () => setSession({ abs_exp: time }),
  }

  test.each(Object.entries(ENDINGS))('%s', async (_, end) => {
    const token = await issuer.sign()
    expect((await call(token)).status).toBe(200)
    await end()

    expect(await call(token)).toMatchObject(refused)
  })

  test('not when everything was ended before it began', async () => {
    await setUser({ tokens_valid_after: new Date(time).toISOString() })

    expect((await call(await issuer.sign())).status).toBe(200)
  })

  test('and takes nothing more from the windows of the tenant', async () => {
    const token = await issuer.sign()
    await setSession({ state: 'revoked' })
    for (let i = 0; i < 5; i += 1) await call(token)
    const windows = service.table.items(TABLE).filter(({ pk }) => pk?.S === `T#${TENANT}#live#RL`)

    expect(windows.length).toBeLessThanOrEqual(1)
  })

  test('role changes count at the next request, too', async () => {
    const token = await issuer.sign()
    await setUser({ roles: ['auditor'] })

    expect((await call(token)).status).toBe(403)
  })
})

describe('last_seen', () => {
  const lastSeen = async () => (await service.ctx.table.get(sessions, { sid: SID }))?.last_seen

  test('is written at most once a minute', async () => {
    const begun = time
    const token = await issuer.sign()
    time = begun + MINUTE - 1
    await call(token)
    expect(await lastSeen()).toBe(begun)

    time = begun + MINUTE
    await call(token)
    expect(await lastSeen()).toBe(time)
  })

  test('is what an idle session ends by', async () => {
    const idle = await deployWith({ idle_s: 300 })
    const token = await issuer.sign()
    time = idle + 299_999
    expect((await call(token)).status).toBe(200)
    time += 300_000
    expect((await call(token)).status).toBe(401)
  })
})

describe('a shorter policy', () => {
  test('holds for a session that began under a longer one', async () => {
    const begun = await deployWith({ lifetime_s: 3_600, refresh_ttl_s: 3_600 })
    time = begun + 3_600_000 - 1
    expect((await call(await issuer.sign())).status).toBe(200)
    time += 1
    expect((await call(await issuer.sign())).status).toBe(401)
  })
})

/** Tightens the policy of the tenant; answers when the session began. */
async function deployWith(session_policy: object): Promise<number> {
  const { session_policy: whole } = Tenant.parse({ ...NO_TENANT, session_policy })
  await service.ctx.table.update({ pk: `T#${TENANT}#live`, sk: 'TENANT' }, { set: { session_policy: whole } })
  return time
}

const NO_TENANT = { id: TENANT, name: 'a', plan: 'free', status: 'active', created_at: '2026-11-01T00:00:00.000Z' }
