import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../../../shared/base/context.ts'
import { callTarget } from '../../../../shared/govern/executions/call-target.ts'
import type { Target } from '../../../../shared/govern/manifests/open-target.ts'
import {
  type NoResponse,
  type OutboundRequest,
  type Outcome,
  setTransport,
} from '../../../../shared/base/lib/safe-http.ts'
import { stillClock } from '../../../support/still-clock.ts'

const START = Date.UTC(2026, 10, 20, 22, 37)
const target: Target = {
  url: 'https://8.8.8.8/run',
  method: 'POST',
  headers: {},
  timeout_ms: 10_000,
  idempotent: true,
  secrets: ['whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='],
}
const answers = (status: number): Outcome => ({
  kind: 'answer',
  status,
  headers: {},
  body: Buffer.from('{}'),
  body_end: 'whole',
  latency_ms: 1,
})
const nothing = (kind: NoResponse['kind'], error_class: NoResponse['error_class']): Outcome => ({
  kind,
  error_class,
  latency_ms: 1,
})

let clock = stillClock(START)
let calls: (OutboundRequest & { at: number })[] = []
let outcome: () => Outcome = () => answers(200)
beforeEach(() => {
  clock = stillClock(START)
  calls = []
  setTransport(async (request) => {
    calls.push({ ...request, at: clock.now() - START })
    return outcome()
  })
})
afterEach(() => setTransport())

const request = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' }
const ctx = () => ({ now: () => clock.now(), clock, request }) as unknown as Context // a call needs no more of it
const counted: number[] = []
const call = (over: Partial<Target> = {}, first = 1) =>
  callTarget(
    ctx(),
    { ...target, ...over },
    { request_id: 'exe_1' },
    { first, count: async (n) => void counted.push(n) },
  )

describe('a call of a target', () => {
  test('is tried again after 200 ms and after one second more', async () => {
    outcome = () => answers(503)

    expect(await call()).toMatchObject({
      status: 'failed',
      retries: 2,
      error: { code: 'target_status', http_status: 503 },
    })
    expect(calls.map(({ at }) => at)).toEqual([0, 200, 1_200])
  })

  test('is counted before it is made, and goes on from what other processes made', async () => {
    counted.length = 0
    outcome = () => answers(503)
    await call()
    expect(counted).toEqual([2, 3])

    calls = []
    expect(await call({}, 3)).toMatchObject({ retries: 2 })
    expect(calls).toHaveLength(1)
  })

  test('keeps within 25 seconds in all', async () => {
    outcome = () => {
      clock.moveTo(clock.now() + 12_000)
      return nothing('unanswered', 'timeout')
    }
    await call({ timeout_ms: 20_000 })

    expect(calls.map(({ deadlineMs }) => deadlineMs)).toEqual([20_000, 12_800])
  })

  test('is not begun when there is no time left for it', async () => {
    outcome = () => {
      clock.moveTo(clock.now() + 24_800)
      return nothing('unanswered', 'timeout')
    }

    expect(await call({ timeout_ms: 20_000 })).toMatchObject({ status: 'outcome_unknown', retries: 0 })
  })

  test('is signed anew each time, under the same key', async () => {
    outcome = () => answers(503)
    await call()
    const sent = (name: string) => new Set(calls.map(({ headers }) => headers[name]))

    expect(sent('idempotency-key')).toEqual(new Set(['exe_1']))
    expect(sent('webhook-id')).toEqual(new Set(['exe_1']))
    expect(sent('webhook-timestamp').size).toBe(2)
    expect(sent('webhook-signature').size).toBe(2)
  })

  test.each<[string, Outcome, boolean, object]>([
    ['2xx', answers(204), true, { status: 'executed', retries: 0 }],
    ['a refused connection', nothing('not_sent', 'connection_refused'), false, { status: 'failed', retries: 2 }],
    ['a name without address', nothing('not_sent', 'dns_error'), false, { status: 'failed', retries: 2 }],
    ['a bad certificate', nothing('not_sent', 'tls_error'), false, { status: 'failed', retries: 2 }],
    ['an address that is not public', nothing('not_sent', 'blocked_target'), true, { status: 'failed', retries: 0 }],
    ['429, repeatable', answers(429), true, { status: 'failed', retries: 2 }],
    ['429', answers(429), false, { status: 'failed', retries: 0 }],
    ['500, repeatable', answers(500), true, { status: 'failed', retries: 0 }],
    ['308', answers(308), true, { status: 'failed', retries: 0 }],
    ['a time-out, repeatable', nothing('unanswered', 'timeout'), true, { status: 'outcome_unknown', retries: 2 }],
    ['a time-out', nothing('unanswered', 'timeout'), false, { status: 'outcome_unknown', retries: 0 }],
    ['a reset', nothing('unanswered', 'connection_reset'), false, { status: 'outcome_unknown', retries: 0 }],
    ['no HTTP', nothing('unanswered', 'invalid_response'), false, { status: 'outcome_unknown', retries: 0 }],
  ])('that ends with %s', async (_, result, idempotent, expected) => {
    outcome = () => result

    expect(await call({ idempotent })).toMatchObject(expected)
  })
})
