import { beforeEach, describe, expect, test } from 'vitest'
import { health } from '../../../functions/health/routes.ts'
import { auth } from '../../../functions/auth/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { PLAN_FACTS } from '../../../shared/base/limits/plans.ts'
import { takeOne } from '../../../shared/base/limits/window.ts'
import { tenants } from '../../../shared/base/tenant/tenant.ts'
import type { ClientPlugin } from '../../../shared/base/aws/clients.ts'
import type { Reply } from '../../support/call.ts'
import { mustBeRefusal } from '../../support/error-body.ts'
import { UNKNOWN_KEY } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { testClock } from '../../support/test-clock.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** While set, no counter can be reached. */
let countersDown = false
/** Requests that were counted per source and e-mail address. */
let countedLogins = 0

type Next = (args: { input: object }) => Promise<object>
const counters: ClientPlugin = (client) => {
  const middleware = (next: Next) => async (args: { input: object }) => {
    const input = JSON.stringify(args.input)
    if (countersDown && input.includes('RL"')) throw new Error('down')
    if (input.includes('"RL#login#')) countedLogins += 1
    return next(args)
  }
  client.middlewareStack.use({
    applyToStack: (stack: { add: (added: typeof middleware, options: object) => void }) =>
      stack.add(middleware, { step: 'initialize', name: 'counters' }),
  })
}

/** Noon of tomorrow, because some tests pass minutes of a day that must not end meanwhile. */
const noon = (Math.ceil(Date.now() / DAY) + 0.5) * DAY

const local = useLocalStack({ clock: testClock(noon), plugins: [counters] })
let acme: TestTenant
let start: number
beforeEach(async () => {
  acme = await local.tenant({ plan: 'free' })
  start = Math.ceil((local.clock.now() + 1) / MINUTE) * MINUTE
  local.clock.moveTo(start)
})

const list = (key = acme.live_key) => local.call(protocol.listManifests, { key })
const statuses = (replies: Reply[]) => Object.groupBy(replies, ({ status }) => status)
const limitsOf = ({ headers }: Reply) => ({
  limit: Number(headers['x-ratelimit-limit']),
  remaining: Number(headers['x-ratelimit-remaining']),
  reset: Number(headers['x-ratelimit-reset']),
  category: headers['x-ratelimit-category'],
})
const windowsOf = () => `T#${acme.tenant_id}#live#RL`
const at = (ms: number) => Math.floor((start + ms) / 1_000)

/** Counts requests of the tenant as another container would, without HTTP. */
async function spendElsewhere(requests: number) {
  const { table } = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
  for (let i = 0; i < requests; i += 1) await takeOne(table, windowsOf(), { ...PLAN_FACTS.free, perSecond: 1_000 })
}

describe('exactly so many are admitted', () => {
  test('of 100 that are counted at once by ten containers: the burst of the plan', async () => {
    const tables = Array.from({ length: 10 }, () => systemContext({ tenant_id: acme.tenant_id, mode: 'live' }).table)
    const takes = tables.flatMap((table) =>
      Array.from({ length: 10 }, () => takeOne(table, windowsOf(), PLAN_FACTS.team)),
    )
    const verdicts = await Promise.all(takes)

    expect(verdicts.filter(({ retryAfterSeconds }) => !retryAfterSeconds)).toHaveLength(50)
  })

  test('of 40 requests at once over HTTP: the burst of the plan', async () => {
    const replies = statuses(await Promise.all(Array.from({ length: 40 }, () => list())))

    expect(replies[200]).toHaveLength(20)
    expect(replies[429]).toHaveLength(20)
  })

  test('of a minute: the figure of the plan', async () => {
    const all: Reply[] = []
    for (let second = 0; second < 7; second += 1) {
      local.clock.moveTo(start + second * 1_000)
      all.push(...(await Promise.all(Array.from({ length: 20 }, () => list()))))
    }
    expect(statuses(all)[200]).toHaveLength(100)

    local.clock.moveTo(start + MINUTE)
    expect((await list()).status).toBe(200)
  })

  test('of a day: the cap of the plan, until midnight UTC', async () => {
    const cap = { ...PLAN_FACTS.free, perMinute: 10_000, perSecond: 10_000 }
    const { table } = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
    const pk = windowsOf()
    await table.update({ pk, sk: iso(start).slice(0, 16).replace('T', '#') }, { set: { d: 4_998 } })
    const verdicts = [await takeOne(table, pk, cap), await takeOne(table, pk, cap)]
    expect(verdicts.every(({ retryAfterSeconds }) => !retryAfterSeconds)).toBe(true)

    const midnight = Math.ceil(start / DAY) * 86_400
    for (const minute of [0, 1, 5]) {
      local.clock.moveTo(start + minute * MINUTE)
      const refused = await list()
      expect(refused.status).toBe(429)
      expect(limitsOf(refused)).toEqual({ limit: 5_000, remaining: 0, reset: midnight, category: 'global' })
      expect(Number(refused.headers['retry-after'])).toBe(midnight - at(minute * MINUTE))
    }
    local.clock.moveTo(midnight * 1_000)
    expect((await list()).status).toBe(200)
  })
})

describe('the rate limit headers', () => {
  test('count down the minute, and say when it ends', async () => {
    const seen = [await list(), await list(), await list()].map(limitsOf)

    expect(seen.map(({ remaining }) => remaining)).toEqual([99, 98, 97])
    for (const one of seen) expect(one).toMatchObject({ limit: 100, reset: at(MINUTE), category: 'global' })
  })

  test('of a refusal name the violated window, and Retry-After repeats it in words', async () => {
    const replies = await Promise.all(Array.from({ length: 30 }, () => list()))
    const refused = replies.filter(({ status }) => status === 429)

    expect(refused.length).toBeGreaterThan(0)
    for (const reply of refused) {
      expect(limitsOf(reply)).toEqual({ limit: 20, remaining: 0, reset: at(1_000), category: 'global' })
      expect(reply).toMatchObject({
        headers: { 'retry-after': '1' },
        body: { detail: 'You exceeded the rate limit. Retry in 1 seconds.', code: 'rate_limited' },
      })
      mustBeRefusal(reply)
    }
  })

  test('of a spent minute tell how many seconds are left', async () => {
    await spendElsewhere(100)
    local.clock.moveTo(start + 37_000)
    const reply = await list()

    expect(limitsOf(reply)).toEqual({ limit: 100, remaining: 0, reset: at(MINUTE), category: 'global' })
    expect(reply.headers['retry-after']).toBe('23')
    expect(reply.body.detail).toBe('You exceeded the rate limit. Retry in 23 seconds.')
  })

  test('name the category of the route, which shares the windows of the tenant', async () => {
    const undo = () => acme.call(protocol.undo, { params: { request_id: 'exe_missing' }, body: {} })
    const [first, second] = [await undo(), await list()]

    expect(limitsOf(first)).toMatchObject({ category: 'ai', remaining: 99 })
    expect(limitsOf(second)).toMatchObject({ category: 'global', remaining: 98 })
  })

  test('of routes that are never refused show the figure of an address, untouched', async () => {
    const replies = await Promise.all(Array.from({ length: 60 }, () => local.call(health.live)))

    for (const reply of replies) {
      expect(reply.status).toBe(200)
      expect(limitsOf(reply)).toMatchObject({ limit: 6_000, remaining: 6_000 })
    }
  })

  test('follow the figures that were agreed with an enterprise', async () => {
    const big = await local.tenant()
    const { table } = systemContext({ tenant_id: big.tenant_id, mode: 'live' })
    await table.update(tenants.key({ id: big.tenant_id }), { set: { rate_limits: { per_minute: 7 } } })

    const replies = statuses(await Promise.all(Array.from({ length: 10 }, () => list(big.live_key))))
    expect(replies[200]).toHaveLength(7)
    expect(replies[429]?.map(limitsOf)[0]).toMatchObject({ limit: 7 })
  })
})

describe('windows are apart', () => {
  test('for two tenants, and for live and test', async () => {
    const other = await local.tenant({ plan: 'free' })
    await spendElsewhere(100)

    expect((await list()).status).toBe(429)
    expect((await list(acme.test_key)).status).toBe(200)
    expect((await list(other.live_key)).status).toBe(200)
    expect((await list(acme.approver_key)).status, 'all live keys of a tenant share one').toBe(429)
  })

  test('for an address: what was refused before it was known counts there, and takes nothing from a tenant', async () => {
    const from = (ip: string, key?: string) => local.call(protocol.listManifests, { ip, key })
    const refusals = [
      await from('127.0.0.2'),
      await from('127.0.0.2', UNKNOWN_KEY),
      await from('127.0.0.2', 'ak_live_x'),
    ]

    expect(refusals.map(limitsOf).map(({ remaining, category }) => [remaining, category])).toEqual([
      [5_999, 'auth'],
      [5_998, 'auth'],
      [5_997, 'auth'],
    ])
    expect(limitsOf(await from('127.0.0.3'))).toMatchObject({ remaining: 5_999 })
    expect(limitsOf(await from('127.0.0.2', acme.live_key))).toMatchObject({ remaining: 99, category: 'global' })
  })

  test('each kind of refusal before authentication counts for its address', async () => {
    const ip = '127.0.0.4'
    const kinds = [
      () => local.call(protocol.validateManifest, { ip, body: '{' }),
      () => local.call(protocol.validateManifest, { ip, body: { manifest: {}, zzz: 1 } }),
      () => local.call(protocol.validateManifest, { ip, body: ' '.repeat(1_048_577) }),
      () => local.call(protocol.getManifest, { ip, params: { node_id: 'a b' } }),
      () => local.call(protocol.listManifests, { ip }),
    ]
    const seen: unknown[] = []
    for (const send of kinds) {
      const reply = await send()
      seen.push([reply.status, limitsOf(reply).remaining])
    }

    expect(seen).toEqual([
      [400, 5_999],
      [400, 5_998],
      [413, 5_997],
      [404, 5_996],
      [401, 5_995],
    ])
  })

  test('an address that has spent its window is refused with 429, while good credentials still work from there', async () => {
    process.env.ADDRESS_RATE_FACTOR = '1'
    const ip = '127.0.0.5'
    const guess = () => local.call(protocol.listManifests, { ip, key: 'not-even-a-key' })
    const replies = statuses(await Promise.all(Array.from({ length: 60 }, guess)))
    process.env.ADDRESS_RATE_FACTOR = '20'

    expect(replies[401]).toHaveLength(50)
    expect(replies[429]).toHaveLength(10)
    expect(replies[429]?.[0]).toMatchObject({ headers: { 'x-ratelimit-category': 'auth', 'retry-after': '1' } })
    expect((await local.call(protocol.listManifests, { ip, key: acme.live_key })).status).toBe(200)
  })
})

describe('routes that name an account count per source and address', () => {
  test('ten a minute, whatever of them is asked and however the address is written', async () => {
    process.env.ADDRESS_RATE_FACTOR = '1'
    const email = acme.owner.email
    const [ip, body] = ['127.0.0.6', { email }]
    const password = 'not the right one'
    const replies = [
      await local.call(auth.login, { ip, body: { email, password } }),
      await local.call(auth.loginUnversioned, { ip, body: { email, password } }),
      await local.call(auth.register, { ip, body: { email, password } }),
      await local.call(auth.forgotPassword, { ip, body: { email: email.toUpperCase() } }),
    ]
    for (let n = 0; n < 6; n += 1) replies.push(await local.call(auth.resendVerification, { ip, body }))
    const [refused, elsewhere, other] = [
      await local.call(auth.forgotPassword, { ip, body }),
      await local.call(auth.forgotPassword, { ip: '127.0.0.7', body }),
      await local.call(auth.forgotPassword, { ip, body: { email: 'else@example.com' } }),
    ]
    process.env.ADDRESS_RATE_FACTOR = '20'

    expect(replies.filter(({ status }) => status === 429)).toEqual([])
    expect(limitsOf(replies[0] ?? refused), 'the headers are about the address').toMatchObject({ limit: 300 })
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(limitsOf(refused)).toMatchObject({ limit: 10, remaining: 0, category: 'auth' })
    expect([elsewhere.status, other.status]).toEqual([202, 202])
  })

  test('but not while the window of the whole address is spent', async () => {
    process.env.ADDRESS_RATE_FACTOR = String(1 / 300) // one request a minute
    const [before, seen] = [countedLogins, [] as number[]]
    for (const name of ['a', 'b', 'c']) {
      const body = { email: `${name}@example.com` }
      seen.push((await local.call(auth.forgotPassword, { ip: '127.0.0.8', body })).status)
    }
    process.env.ADDRESS_RATE_FACTOR = '20'

    expect(seen).toEqual([202, 429, 429])
    expect(countedLogins - before).toBe(1)
  })
})

test('an outage of the counters is no outage of the API', async () => {
  countersDown = true
  const replies = await Promise.all(Array.from({ length: 40 }, () => list()))
  countersDown = false

  for (const reply of replies) {
    expect(reply.status).toBe(200)
    expect(limitsOf(reply)).toMatchObject({ limit: 100, remaining: 100 })
  }
  expect(limitsOf(await list())).toMatchObject({ remaining: 99 })
})
