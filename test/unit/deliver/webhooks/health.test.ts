import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../../../shared/deliver/webhooks/endpoints/endpoint.ts'
import {
  disabled,
  enabled,
  exhausted,
  stillFailing,
  succeeded,
} from '../../../../shared/deliver/webhooks/endpoints/health.ts'

const now = Date.UTC(2026, 10, 20, 22, 37)
const DAY = 86_400_000
const active: Endpoint = {
  tenant_id: 'ten_1',
  mode: 'live',
  id: 'whe_1',
  name: 'Sink',
  url: 'https://hooks.example.com/',
  events: ['*'],
  status: 'active',
  header_names: [],
  secrets: [],
  sealed: new Uint8Array(),
  consecutive_failed: 0,
  created_at: '2026-11-20T00:00:00.000Z',
  updated_at: '2026-11-20T00:00:00.000Z',
  created_by: { type: 'user', id: 'usr_1' },
}
const inError: Endpoint = {
  ...active,
  status: 'error',
  consecutive_failed: 5,
  error_since: new Date(now).toISOString(),
  disable_at: new Date(now + 5 * DAY).toISOString(),
}
const afterFailures = (count: number, from = active) =>
  Array.from({ length: count }).reduce<Endpoint>((endpoint) => exhausted(endpoint, now), from)

describe('an active endpoint', () => {
  test('goes into error with its fifth exhausted delivery, not before', () => {
    expect(afterFailures(4)).toMatchObject({ status: 'active', consecutive_failed: 4 })
    expect(afterFailures(5)).toMatchObject({ status: 'error', error_since: '2026-11-20T22:37:00.000Z' })
  })

  test('goes into error after as many as the deployment says, for as many days', () => {
    Object.assign(process.env, { WEBHOOK_FAILURES_MAX: '2', WEBHOOK_ERROR_DAYS: '1' })
    const failing = afterFailures(2)
    for (const name of ['WEBHOOK_FAILURES_MAX', 'WEBHOOK_ERROR_DAYS']) delete process.env[name]

    expect(failing).toMatchObject({ status: 'error', disable_at: '2026-11-21T22:37:00.000Z' })
  })

  test('starts from nothing after a 2xx in between', () => {
    const recovered = succeeded(afterFailures(4))

    expect(recovered.consecutive_failed).toBe(0)
    expect(afterFailures(4, recovered).status).toBe('active')
  })

  test('that is healthy is not even written after a 2xx', () => {
    expect(succeeded(active)).toBe(active)
  })
})

describe('an endpoint in error', () => {
  test('is healed by any 2xx', () => {
    expect(succeeded(inError)).toMatchObject({ status: 'active', consecutive_failed: 0, error_since: undefined })
  })

  test('stays for five days, after which a failed probe disables it', () => {
    expect(stillFailing(inError, now + 5 * DAY - 1)).toBe(inError)
    expect(stillFailing(inError, now + 5 * DAY)).toMatchObject({ status: 'disabled', disabled_reason: 'unhealthy' })
  })

  test('keeps the time since when it fails', () => {
    expect(exhausted(inError, now + DAY).error_since).toBe(inError.error_since)
  })
})

describe('a disabled endpoint', () => {
  const off = disabled(inError, 'gone')

  test('keeps its first reason', () => {
    expect(disabled(off, 'receiver_request')).toBe(off)
  })

  test('is not enabled by a 2xx', () => {
    expect(succeeded(off).status).toBe('disabled')
  })

  test('is enabled by its owner, with nothing held against it', () => {
    expect(enabled(off)).toMatchObject({
      status: 'active',
      consecutive_failed: 0,
      error_since: undefined,
      disabled_reason: undefined,
    })
  })
})
