import * as z from 'zod'
import { beforeEach, describe, expect, test } from 'vitest'
import { httpResponse } from '../../../shared/base/wire/call.ts'
import { endpoint, type Options } from '../../../shared/edge/endpoint.ts'
import type { RouteOptions } from '../../../shared/base/wire/route.ts'
import { expectServerErrors } from '../../support/server-errors.ts'
import { conflict, Failure, invalid, notFound } from '../../../shared/base/lib/failure.ts'
import { type Deployment, deploy, makeThing, route, TABLE } from './deployment.ts'

let service: Deployment
let key: string
beforeEach(async () => {
  service = await deploy()
  key = await service.key()
})

const HOURS_24 = 86_400_000
const shapes = {
  body: z.object({ n: z.int().optional() }),
  response: z.object({ name: z.string(), n: z.int().optional() }),
}

type Extra = Options<typeof shapes, undefined>

/** Makes a thing named by its place, and says the number that it was sent. */
const making = (options: Extra = {}, row: Partial<RouteOptions> = {}) =>
  endpoint(
    route(row),
    shapes,
    async ({ params, body, ctx }) =>
      httpResponse(201, { ...(await makeThing(ctx, params.id)), n: body.n }, { Location: `/api/things/${params.id}` }),
    options,
  )

const withKey = (name = 'k1') => ({ headers: { 'Idempotency-Key': name } })

describe('a repeat with the same key', () => {
  test('gets the first answer again, and nothing happens twice', async () => {
    const first = await service.send(making(), { key, body: { n: 1 }, ...withKey() })
    const again = await service.send(making(), { key, body: { n: 1 }, ...withKey() })

    expect(first).toMatchObject({ status: 201, body: { name: 'a', n: 1 } })
    expect(first.headers).not.toHaveProperty('Idempotent-Replayed')
    expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'Idempotent-Replayed': 'true' } })
    expect(again.headers.Location).toBe('/api/things/a')
    expect(service.count('EV')).toBe(1)
  })

  test('ignores the order of members and what canonical JSON makes equal', async () => {
    await service.send(making(), { key, body: '{"n":1}', ...withKey() })

    const again = await service.send(making(), { key, body: '{ "n" : 1.0 }', ...withKey('"k1"') })
    expect(again).toMatchObject({ status: 201, headers: { 'Idempotent-Replayed': 'true' } })
  })

  test('with another body is a 422 that names the header', async () => {
    await service.send(making(), { key, body: { n: 1 }, ...withKey() })

    expect(await service.send(making(), { key, body: { n: 2 }, ...withKey() })).toMatchObject({
      status: 422,
      body: {
        code: 'idempotency_mismatch',
        detail: [{ loc: ['header', 'Idempotency-Key'], type: 'idempotency_mismatch' }],
      },
    })
    expect(service.count('EV')).toBe(1)
  })

  test('is a request of its own on another path, another operation, in the other mode and under another key', async () => {
    await service.send(making(), { key, ...withKey() })
    const sandbox = await service.key({ kind: 'test' })

    expect((await service.send(making(), { key, ...withKey(), params: { id: 'b' } })).status).toBe(201)
    expect((await service.send(making(), { key: sandbox, ...withKey() })).status).toBe(201)
    expect((await service.send(making(), { key, ...withKey('k2') })).status).toBe(409)
    expect(service.count('THING')).toBe(3)
  })

  test('still matches after the key was rotated, also more than once', async () => {
    const former = await service.key({ id: 'key_a' })
    await service.send(making(), { key: former, ...withKey() })

    for (const replaces of ['key_a', 'key_b']) {
      const fresh = await service.key({ replaces, lineage: 'key_a' })
      const again = await service.send(making(), { key: fresh, ...withKey() })
      expect(again.headers).toMatchObject({ 'Idempotent-Replayed': 'true' })
    }
  })

  test('409: with another credential is in use, whatever the body is and whether the first one is answered', async () => {
    const other = await service.key()
    let during: unknown
    const slow = endpoint(route(), shapes, async ({ params, ctx }) => {
      const thing = await makeThing(ctx, params.id)
      during = await service.send(making(), { key: other, ...withKey() })
      return thing
    })
    await service.send(slow, { key, ...withKey() })

    const inUse = { status: 409, body: { code: 'key_in_use' } }
    expect(during).toMatchObject(inUse)
    for (const body of [{}, { n: 2 }]) {
      const reply = await service.send(making(), { key: other, body, ...withKey() })
      expect(reply).toMatchObject(inUse)
      expect(reply.headers).not.toHaveProperty('Location')
      expect(reply.headers).not.toHaveProperty('Idempotent-Replayed')
    }
    expect(service.count('EV')).toBe(1)
  })

  test('409: who loses the race against another credential learns only that the key is in use', async () => {
    const other = await service.key()
    const late = endpoint(route(), shapes, async ({ ctx }) => {
      await service.send(making(), { key: other, ...withKey() })
      return makeThing(ctx, ctx.id('thg'))
    })

    expect(await service.send(late, { key, ...withKey() })).toMatchObject({ status: 409, body: { code: 'key_in_use' } })
    expect(service.count('THING')).toBe(1)
  })

  test('must still be allowed', async () => {
    await service.send(making(), { key, ...withKey() })
    const reader = await service.key({}, ['governance:read'])

    expect(await service.send(making(), { key: reader, ...withKey() })).toMatchObject({ status: 403 })
  })

  test('is remembered for 24 hours, then the key is free', async () => {
    await service.send(making(), { key, ...withKey() })
    service.clock.moveTo(service.clock.now() + HOURS_24 - 60_000)
    expect((await service.send(making(), { key, ...withKey() })).headers).toHaveProperty('Idempotent-Replayed')

    service.clock.moveTo(service.clock.now() + 61_000)
    const other = await service.send(making({}), { key, body: { n: 2 }, ...withKey(), params: { id: 'a' } })
    expect(other, 'it runs again, and meets the thing it made').toMatchObject({
      status: 409,
      body: { code: 'already_exists' },
    })
  })

  test('a key that has expired is claimed anew', async () => {
    await service.send(making(), { key, ...withKey() })
    service.clock.moveTo(service.clock.now() + HOURS_24 + 60_000)
    service.table.tamper(TABLE, { pk: 'T#ten_1#live#THING#a', sk: 'THING' }, () => undefined)

    expect((await service.send(making(), { key, body: { n: 2 }, ...withKey() })).body).toEqual({ name: 'a', n: 2 })
    expect((await service.send(making(), { key, body: { n: 2 }, ...withKey() })).headers).toHaveProperty(
      'Idempotent-Replayed',
    )
  })
})

describe('what leaves the key unused', () => {
  test.each([
    conflict('You cannot change the status from a to b.'),
    notFound('thing'),
    invalid(['n'], 'is odd'),
    new Failure('forbidden', 'not you'),
    new Failure('unavailable', 'later'),
    new Error('our fault'),
  ])('is the failure "%s"', async (error) => {
    expectServerErrors()
    const failing = endpoint(route(), shapes, () => Promise.reject(error))

    expect((await service.send(failing, { key, ...withKey() })).status).toBeGreaterThanOrEqual(400)
    expect(service.count('IDEM')).toBe(0)
    expect((await service.send(making(), { key, body: { n: 7 }, ...withKey() })).status).toBe(201)
  })

  test('a commit that is not what the request asked for', async () => {
    const beside = endpoint(route(), shapes, async ({ ctx }) => makeThing(ctx, 'beside', ''))

    expect((await service.send(beside, { key, ...withKey() })).status).toBe(201)
    expect(service.count('IDEM'), 'no half-written claim').toBe(0)
    expect((await service.send(making(), { key, ...withKey() })).status).toBe(201)
  })

  test.each(['has space', '', '""', 'é', 'a'.repeat(256)])('the malformed key %j, which is a 400', async (name) => {
    expect(await service.send(making(), { key, ...withKey(name) })).toMatchObject({
      status: 400,
      body: { detail: 'The Idempotency-Key is not valid. Send 1 to 255 visible ASCII characters.' },
    })
  })

  test('a route that takes none, which ignores it', async () => {
    const [first, second] = [making({}, { idempotency: false }), making({}, { idempotency: false })]

    expect((await service.send(first, { key, ...withKey('has space') })).status).toBe(201)
    expect((await service.send(second, { key, ...withKey('has space') })).status).toBe(409)
  })
})

describe('two at once', () => {
  test('twenty requests have one effect, and each is told of it or to come back', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => service.send(making(), { key, ...withKey() })))

    expect(service.count('EV')).toBe(1)
    for (const { status, body } of replies) {
      if (status === 201) expect(body).toEqual({ name: 'a' })
      else expect({ status, code: body.code }).toEqual({ status: 409, code: 'idempotency_in_progress' })
    }
    expect(replies.filter(({ status, headers }) => status === 201 && !headers['Idempotent-Replayed'])).toHaveLength(1)
  })

  test('the key alone keeps twenty requests from making twenty things', async () => {
    const fresh = endpoint(route(), shapes, ({ ctx }) => makeThing(ctx, ctx.id('thg')))
    await Promise.all(Array.from({ length: 20 }, () => service.send(fresh, { key, ...withKey() })))

    expect(service.count('THING')).toBe(1)
  })

  test('the loser is told that the first one runs, not that its own thing exists', async () => {
    let second: Promise<unknown> = Promise.resolve()
    const slow = endpoint(route(), shapes, async ({ params, ctx }) => {
      second = service.send(making(), { key, ...withKey() })
      await second
      return makeThing(ctx, params.id)
    })

    const late = await service.send(slow, { key, ...withKey() })
    expect(await second).toMatchObject({ status: 201 })
    expect(late).toMatchObject({ status: 201, body: { name: 'a' }, headers: { 'Idempotent-Replayed': 'true' } })
  })

  test('a state that the first one left behind is its answer, not a conflict', async () => {
    const refusing = endpoint(route(), shapes, async () => {
      await service.send(making(), { key, ...withKey() })
      throw conflict('You cannot change the status from made to made.')
    })

    expect(await service.send(refusing, { key, ...withKey() })).toMatchObject({ status: 201, body: { name: 'a' } })
  })

  test('a loser with another body learns of the mismatch', async () => {
    const refusing = endpoint(route(), shapes, async () => {
      await service.send(making(), { key, body: { n: 1 }, ...withKey() })
      throw conflict('exists')
    })

    expect(await service.send(refusing, { key, body: { n: 2 }, ...withKey() })).toMatchObject({ status: 422 })
  })
})

describe('a crash between commit and answer', () => {
  /** The transaction passes, everything after it fails. */
  const failAfterCommit = () => {
    service.table.hooks.before = ({ name, input }) => {
      const answering = name === 'UpdateItem' && JSON.stringify(input).includes('#IDEM#')
      if (answering) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' })
    }
  }

  test('does not take the answer from its caller', async () => {
    failAfterCommit()

    expect(await service.send(making(), { key, body: { n: 1 }, ...withKey() })).toMatchObject({
      status: 201,
      body: { name: 'a', n: 1 },
    })
  })

  test('never runs the effect again: for a minute the repeat is told to wait, then where to read', async () => {
    failAfterCommit()
    await service.send(making(), { key, ...withKey() })

    expect(await service.send(making(), { key, ...withKey() })).toMatchObject({
      status: 409,
      headers: { 'Retry-After': '1' },
      body: {
        code: 'idempotency_in_progress',
        detail: 'A request with this Idempotency-Key is still running. Repeat yours in a moment.',
      },
    })
    service.clock.moveTo(service.clock.now() + 61_000)
    expect(await service.send(making(), { key, ...withKey() })).toMatchObject({
      status: 409,
      body: { detail: 'Your first request with this Idempotency-Key was carried out. Read a.' },
    })
    expect(service.count('EV')).toBe(1)
  })

  test('is rebuilt from what was committed where the operation can do that', async () => {
    const again: Extra = {
      replay: async (_, ref) => httpResponse(201, { name: ref, n: 9 }, { Location: '/api/things/a' }),
    }
    await service.send(making(again), { key, ...withKey() })

    expect(await service.send(making(again), { key, ...withKey() })).toMatchObject({
      status: 201,
      body: { name: 'a', n: 9 },
      headers: { Location: '/api/things/a', 'Idempotent-Replayed': 'true' },
    })
    const notYet: Extra = { replay: async () => undefined }
    expect(await service.send(making(notYet), { key, ...withKey() })).toMatchObject({
      status: 409,
      headers: { 'Retry-After': '1' },
      body: { code: 'idempotency_in_progress' },
    })
  })
})

test('an answer that holds a secret is stored sealed only', async () => {
  const reversed = async (_: unknown, __: unknown, text: string) => [...text].reverse().join('')
  const sealed = making({ protect: { seal: reversed, open: reversed } })
  await service.send(sealed, { key, body: { n: 4711 }, ...withKey() })

  const [item] = service.table.items(TABLE).filter(({ _type }) => _type?.S === 'IDEM')
  expect(item?.body?.S).toContain('1174')
  expect((await service.send(sealed, { key, body: { n: 4711 }, ...withKey() })).body).toEqual({ name: 'a', n: 4711 })
})
