import * as z from 'zod'
import { beforeEach, describe, expect, test } from 'vitest'
import { setRuntime } from '../../../shared/base/context.ts'
import { endpoint } from '../../../shared/edge/endpoint.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { type Deployment, deploy, type Reply, route, TABLE } from './deployment.ts'

const DAY = 86_400_000

let service: Deployment
beforeEach(async () => {
  service = await deploy()
})

const shapes = { response: z.object({ tenant: z.string(), mode: z.string(), persons: z.array(z.string()) }) }

const whoAmI = endpoint(route({ evidence: { none: 'test' }, success: 200 }), shapes, async ({ ctx }) => ({
  tenant: ctx.space.tenant_id,
  mode: ctx.space.mode,
  persons: [...ctx.principal.persons],
}))

const call = (headers: Record<string, string>) => service.send(whoAmI, { headers })
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

const refused = {
  status: 401,
  headers: {
    'WWW-Authenticate':
      'Bearer realm="countersign", resource_metadata="https://api.example/.well-known/oauth-protected-resource"',
  },
  body: {
    detail: 'Your credentials are invalid or expired. Sign in again or use another key.',
    code: 'unauthenticated',
  },
}

/** What the tenant has used up of its minute. */
const taken = () => Number(service.table.item(TABLE, { pk: 'T#ten_1#live#RL', sk: '2026-11-20#22:37' })?.m?.N ?? 0)

describe('the credential', () => {
  test('is taken from either header, and fixes tenant and mode', async () => {
    const [live, sandbox] = [await service.key(), await service.key({ kind: 'test' })]

    expect(await call({ 'X-API-Key': live })).toMatchObject({
      status: 200,
      body: { tenant: 'ten_1', mode: 'live', persons: ['usr_1'] },
    })
    expect(await call(bearer(live))).toMatchObject({ status: 200, body: { mode: 'live' } })
    expect(await call({ authorization: `bearer   ${live}` })).toMatchObject({ status: 200 })
    expect(await call(bearer(sandbox))).toMatchObject({ status: 200, body: { mode: 'test' } })
  })

  test('is refused in the same words, whatever is wrong with it', async () => {
    const key = await service.key()
    const dead = [
      await service.key({ revoked_at: iso(service.clock.now()) }),
      await service.key({ expires_at: iso(service.clock.now()) }),
    ]
    const attempts: Record<string, string>[] = [
      {},
      { Authorization: '' },
      { Authorization: key },
      { Authorization: 'Bearer' },
      { Authorization: `Basic ${key}` },
      { Authorization: `Bearer ${key} ${key}` },
      { 'X-API-Key': '' },
      { 'X-API-Key': `Bearer ${key}` },
      { 'X-API-Key': key.toLowerCase() },
      { 'X-API-Key': `${key}x` },
      { 'X-API-Key': 'ak_live_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345640lJE3' },
      { 'X-API-Key': key, ...bearer(key) },
      { 'X-API-Key': key, 'x-api-key': key },
      ...dead.map(bearer),
    ]

    for (const headers of attempts) {
      const reply: Reply = await call(headers)
      expect(reply, JSON.stringify(headers)).toMatchObject(refused)
      expect(Object.keys(reply.body)).toEqual(['detail', 'code', 'request_id'])
    }
  })

  test('works in its last millisecond, and not in the one in which it expires', async () => {
    const end = service.clock.now() + DAY
    const key = await service.key({ expires_at: iso(end) })

    setRuntime({ clock: { ...service.clock, now: () => end - 1 } })
    expect((await call(bearer(key))).status).toBe(200)
    setRuntime({ clock: { ...service.clock, now: () => end } })
    expect((await call(bearer(key))).status).toBe(401)
  })

  test('X-Mode may only repeat what its prefix says', async () => {
    const key = await service.key()

    expect((await call({ ...bearer(key), 'X-Mode': 'live' })).status).toBe(200)
    for (const mode of ['test', 'LIVE', '']) {
      expect(await call({ ...bearer(key), 'X-Mode': mode })).toMatchObject({
        status: 400,
        body: { detail: 'X-Mode is not the mode of the key. Send live, or leave it out.' },
      })
    }
  })

  test('stays valid when the pepper is rotated', async () => {
    const [second, third] = ['s', 't'].map((letter) => ({ id: letter, value: letter.repeat(43) }))
    const first = await service.key()
    service.setSecret({ pepper: second })
    const next = await service.key()
    for (const key of [first, next, first]) expect((await call(bearer(key))).status).toBe(200)

    service.setSecret({ pepper: third, previous_pepper: second })
    expect((await call(bearer(next))).status).toBe(200)
    expect((await call(bearer(first))).status, 'two rotations later').toBe(401)
  })
})

describe('what a container remembers', () => {
  const revoke = async (key: string) => {
    const item = service.table.items(TABLE).find(({ hint }) => hint?.S === key.slice(0, 12))
    const at = { pk: item?.pk?.S ?? '', sk: item?.sk?.S ?? '' }
    service.table.tamper(TABLE, at, (found) => ({ ...found, revoked_at: { S: iso(service.clock.now()) } }))
  }

  test('never that a key is good: revocation works on the next request', async () => {
    const key = await service.key()
    await call(bearer(key))
    await revoke(key)

    expect(await call(bearer(key))).toMatchObject(refused)
  })

  test('a dead key does not eat into the windows of its tenant', async () => {
    const key = await service.key()
    await call(bearer(key))
    await revoke(key)
    for (let i = 0; i < 10; i += 1) await call(bearer(key))

    expect(taken(), 'one good request, and at most the first refused one').toBeLessThanOrEqual(2)
  })

  test('an unknown key is not looked up again for a minute', async () => {
    const reads = () => service.table.calls.BatchGetItem ?? 0 // the key, and whether its sender has to wait
    const unknown = bearer('ak_live_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345640lJE3')
    await call(unknown)
    const before = reads()
    await call(unknown)
    expect(reads()).toBe(before)

    service.clock.moveTo(service.clock.now() + 60_000)
    await call(unknown)
    expect(reads()).toBe(before + 1)
  })

  test('a mistyped key costs no look-up at all', async () => {
    const key = await service.key()
    const before = service.table.calls.GetItem ?? 0
    await call(bearer(`${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`))

    expect(service.table.calls.GetItem ?? 0).toBe(before)
  })
})

describe('last use', () => {
  const lastUsed = () => service.table.items(TABLE).find(({ _type }) => _type?.S === 'APIKEY')?.last_used_at?.S

  test('is noted at most once a minute', async () => {
    const key = await service.key()
    await call(bearer(key))
    const first = lastUsed()
    await call(bearer(key))
    expect(lastUsed()).toBe(first)

    service.clock.moveTo(service.clock.now() + 60_000)
    await call(bearer(key))
    expect(Date.parse(lastUsed() ?? '')).toBeGreaterThanOrEqual(Date.parse(first ?? '') + 60_000)
  })

  test('that cannot be noted fails no request', async () => {
    const key = await service.key()
    service.table.hooks.before = ({ name, input }) => {
      if (name === 'UpdateItem' && JSON.stringify(input).includes('APIKEY')) throw new Error('throttled')
    }

    expect((await call(bearer(key))).status).toBe(200)
  })
})
