import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { takeSlot } from '../../../shared/ledger/events/stream.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { mustBeRefusal } from '../../support/error-body.ts'
import { makeKey, revoke } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { testClock } from '../../support/test-clock.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const DAY = 86_400_000

const still = testClock()
const slept: number[] = []

/** Sleeping takes no time, but lets the network go on: a stream lives its 14 minutes at once. */
const clock = {
  ...still,
  sleep: async (ms: number) => {
    slept.push(ms)
    still.moveTo(still.now() + ms)
    await setImmediate()
  },
}

const local = useLocalStack({ clock })
let acme: TestTenant
beforeEach(async () => {
  acme = await local.tenant()
})

const act = async () => {
  await acme.call(agent.execute, { body: { tier: 'AUTO', command: 'list open tickets' } })
  await local.drain()
}
type Input = { query?: Record<string, string | number>; headers?: Record<string, string> }
const stream = (input: Input = {}, as: { call: TestTenant['call'] } = acme) => as.call(events.stream, input)

type Frame = { id: number; event: string; data: { id: string; type: string; data: { request_id?: string } } }
const framesOf = (text: string): Frame[] =>
  [...text.matchAll(/^id: (\d+)\nevent: (\S+)\ndata: (.+)$/gm)].map(([, id, event = '', data = '']) => ({
    id: Number(id),
    event,
    data: JSON.parse(data),
  }))

describe('GET /api/v1/events/stream', () => {
  test('200: the same sequence as the pull, dense in its ids', async () => {
    await act()
    const pulled = (await acme.call(events.list, { query: { limit: 200 } })).body.items
    const { status, headers, body } = await stream({ query: { last_event_id: 0 } })

    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' })
    expect(headers['x-request-id']).toMatch(/^req_/)
    expect(body).toMatch(/^retry: 1000\n\n/)
    const frames = framesOf(body)
    expect(frames.map(({ data }) => data)).toEqual(pulled)
    expect(frames.map(({ id }) => id)).toEqual(pulled.map((_: object, index: number) => index + 1))
  })

  test('200: beats while nothing happens, starts at the end and ends by itself after 14 minutes', async () => {
    await act()
    const opened = local.clock.now()
    const { body } = await stream()

    expect(framesOf(body)).toEqual([])
    expect(body.split(': hb\n\n').length).toBeGreaterThan(50)
    expect((local.clock.now() - opened) / 60_000).toBeCloseTo(14, 0)
  })

  test('200: Last-Event-ID resumes, and weighs more than the address', async () => {
    await act()
    const all = framesOf((await stream({ query: { last_event_id: 0 } })).body)
    const { body } = await stream({ query: { last_event_id: 0 }, headers: { 'last-event-id': '3' } })

    expect(framesOf(body)).toEqual(all.slice(3))
  })

  test('200: one execution, or chosen types', async () => {
    await act()
    await act()
    const { items } = (await acme.call(events.list, { query: { types: 'action.requested' } })).body
    const { request_id } = items[1].data
    const ofOne = framesOf((await stream({ query: { last_event_id: 0, request_id } })).body)
    const ofType = framesOf((await stream({ query: { last_event_id: 0, types: 'action.requested' } })).body)

    expect(ofOne.length).toBeGreaterThan(2)
    expect(ofOne.every(({ data }) => data.data.request_id === request_id)).toBe(true)
    expect(ofType.map(({ event }) => event)).toEqual(['action.requested', 'action.requested'])
  })

  test('200: begins with a reset when what was missed is gone', async () => {
    await act()
    local.clock.moveTo(local.clock.now() + 31 * DAY)
    await act()
    const { body } = await stream({ headers: { 'last-event-id': '1' } })

    const [first] = framesOf(body)
    expect(body).toMatch(new RegExp(`^retry: 1000\\n\\nevent: reset\\ndata: {"oldest":${first?.id}}\\n\\n`))
    expect(first?.id).toBeGreaterThan(2)
  })

  test('200: ends within a minute after its key was revoked', async () => {
    const key = await makeKey(acme)
    const opened = local.clock.now()
    slept.length = 0
    const streaming = stream({}, acme.as({ key }))
    while (slept.length < 5) await setImmediate() // an open stream sleeps between two looks
    await revoke(key)
    const { status } = await streaming

    expect(status).toBe(200)
    expect(local.clock.now() - opened).toBeLessThan(70_000)
  })

  test('200: begins at the end, with a reset, after an id that the stream never gave', async () => {
    await act()
    const [last] = framesOf((await stream({ query: { last_event_id: 0 } })).body).toReversed()
    const next = Number(last?.id) + 1

    for (const input of [
      { headers: { 'last-event-id': 'evt_of_another_service' } },
      { headers: { 'last-event-id': String(next) } },
      { query: { last_event_id: '-1' } },
    ]) {
      const { status, body } = await stream(input)
      expect(status).toBe(200)
      expect(body).toMatch(new RegExp(`^retry: 1000\\n\\nevent: reset\\ndata: {"oldest":${next}}\\n\\n`))
      expect(framesOf(body)).toEqual([])
    }
  })

  test('401 and 403 are answered as everywhere, before the first byte', async () => {
    const reader = acme.as({ key: await makeKey(acme, { scopes: ['governance:read'] }) })

    mustBeRefusal(await local.call(events.stream))
    const reply = await stream({ query: { types: 'user.login' } }, reader)
    expect(reply.status).toBe(403)
    mustBeRefusal(reply)
  })

  test('429: beyond the streams of the plan; the place of an ended stream is free', async () => {
    const small = await local.tenant({ plan: 'free' })
    const held = await takeSlot(systemContext({ tenant_id: small.tenant_id, mode: 'live' }), 1, { resumes: false })
    const refused = await stream({}, small)
    await held.release()
    const [accepted, again] = [await stream({}, small), await stream({}, small)]

    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '30' }, body: { code: 'stream_limit' } })
    mustBeRefusal(refused)
    expect([accepted.status, again.status]).toEqual([200, 200])
  })
})
