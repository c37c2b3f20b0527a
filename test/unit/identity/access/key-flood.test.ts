import * as z from 'zod'
import { beforeEach, describe, expect, test } from 'vitest'
import { BLOCK_MS, makeApiKey, UNKNOWN_KEYS_MAX } from '../../../../shared/identity/access/api-key.ts'
import { setRuntime } from '../../../../shared/base/context.ts'
import { endpoint } from '../../../../shared/edge/endpoint.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import { stillClock } from '../../../support/still-clock.ts'
import { type Deployment, deploy, route } from '../../edge/deployment.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 20, 22, 37)

let service: Deployment
let clock: ReturnType<typeof stillClock>
beforeEach(async () => {
  service = await deploy()
  clock = stillClock(START)
  setRuntime({ clock })
})

const shapes = { response: z.object({}) }
const ask = endpoint(route({ evidence: { none: 'test' }, success: 200 }), shapes, async () => ({}))
const call = (key: string) => service.send(ask, { headers: { 'x-api-key': key } })

let made = 0
/** Well-formed, and stored nowhere. */
const unknownKey = () => makeApiKey('live', (size) => Buffer.alloc(size, (made += 1)))
const unknown = async (times: number) => {
  const statuses: number[] = []
  for (let n = 0; n < times; n += 1) statuses.push((await call(unknownKey())).status)
  return statuses
}

describe('unknown keys of one address', () => {
  test('are refused as such up to the thirtieth in a minute, then the address has to wait ten minutes', async () => {
    expect(new Set(await unknown(UNKNOWN_KEYS_MAX))).toEqual(new Set([401]))

    const refused = await call(unknownKey())
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'Retry-After': '600' },
      body: { detail: 'Too many unknown API keys. Retry in 600 seconds.', code: 'rate_limited' },
    })
    clock.moveTo(START + BLOCK_MS - 1)
    expect(await unknown(1)).toEqual([429])
    clock.moveTo(START + BLOCK_MS)
    expect(await unknown(1)).toEqual([401])
  })

  test('count by the minute', async () => {
    await unknown(UNKNOWN_KEYS_MAX - 1)
    clock.moveTo(START + MINUTE)

    expect(new Set(await unknown(UNKNOWN_KEYS_MAX))).toEqual(new Set([401]))
    expect(await unknown(1)).toEqual([429])
  })

  test('count once while a container still knows that there is no such key', async () => {
    const key = unknownKey()
    for (let n = 0; n < UNKNOWN_KEYS_MAX + 10; n += 1) expect((await call(key)).status).toBe(401)
  })

  test('close the door of every container, and cost a container that knows it no read', async () => {
    await unknown(UNKNOWN_KEYS_MAX)
    coldStart() // another container
    const key = unknownKey()
    expect((await call(key)).status).toBe(429)

    const before = { ...service.table.calls }
    expect((await call(key)).status).toBe(429)
    expect(service.table.calls.BatchGetItem).toBe(before.BatchGetItem)
    expect(service.table.calls.GetItem).toBe(before.GetItem)
  })

  test('do not shut out a key that exists: an address may be shared', async () => {
    const key = await service.key()
    await unknown(UNKNOWN_KEYS_MAX + 1)

    expect((await call(key)).status).toBe(200)
  })

  test('are refused as ever when they cannot be counted', async () => {
    service.table.hooks.before = ({ name, input }) => {
      if (name === 'UpdateItem' && JSON.stringify(input).includes('COUNTER')) throw new Error('throttled')
    }

    expect(new Set(await unknown(UNKNOWN_KEYS_MAX + 5))).toEqual(new Set([401]))
  })
})

test('a key that is over is no unknown key', async () => {
  const over = await service.key({ revoked_at: '2026-11-20T00:00:00.000Z' })
  for (let n = 0; n < UNKNOWN_KEYS_MAX + 5; n += 1) expect((await call(over)).status).toBe(401)
})

test('looking for a block costs no call of its own', async () => {
  const key = await service.key()
  const before = { ...service.table.calls }
  await call(key)

  const reads = ['GetItem', 'BatchGetItem'].map((name) => (service.table.calls[name] ?? 0) - (before[name] ?? 0))
  expect(reads).toEqual([0, 2]) // key and block together, then the tenant and who made the key
})
