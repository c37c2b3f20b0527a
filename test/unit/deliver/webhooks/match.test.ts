import { describe, expect, test } from 'vitest'
import type { Envelope } from '../../../../shared/ledger/events/event.ts'
import { EVENT_SCHEMAS } from '../../../../shared/ledger/events/schemas.ts'
import { isSubscribed } from '../../../../shared/deliver/webhooks/endpoints/endpoint.ts'

const endpoint = { id: 'whe_1', status: 'active', events: ['action.rejected'], filter: undefined } as const
const told = (type: Envelope['type'], data: object): Envelope => ({
  id: 'evt_1',
  type,
  timestamp: '2026-11-20T22:37:00.123Z',
  tenant_id: 'ten_1',
  version: '2026-11-20',
  data: data as Envelope['data'], // examples of the type, changed here and there
})
const rejected = told('action.rejected', EVENT_SCHEMAS['action.rejected'].example)
const subscribes = (change: Partial<Parameters<typeof isSubscribed>[0]>, event = rejected) =>
  isSubscribed({ ...endpoint, events: [...endpoint.events], ...change }, event)

describe('an event is sent', () => {
  test.each([
    ['by its type', ['policy.updated', 'action.rejected'], true],
    ['by *', ['*'], true],
    ['by * among others', ['policy.updated', '*'], true],
    ['not for another type', ['action.approved'], false],
    ['not for a prefix of its type', ['action'], false],
  ])('%s', (_, events, sent) => {
    expect(subscribes({ events })).toBe(sent)
  })

  test.each([
    ['active', true],
    ['error', true],
    ['disabled', false],
  ] as const)('to an endpoint that is %s: %s', (status, sent) => {
    expect(subscribes({ status })).toBe(sent)
  })
})

describe('a filter', () => {
  test.each([
    ['with one equal member', { risk_tier: 'HARD' }, true],
    ['with all members equal', { risk_tier: 'HARD', rejection_method: 'manual' }, true],
    ['with one member that differs', { risk_tier: 'HARD', rejection_method: 'policy' }, false],
    ['with a member that the event lacks', { plan_id: 'team' }, false],
    ['with an inherited member', { constructor: 'x' }, false],
    ['that is empty', {}, true],
  ])('%s passes what it should', (_, filter, sent) => {
    expect(subscribes({ filter })).toBe(sent)
  })

  test('compares values of one type only', () => {
    const executed = told('protocol.executed', { ...EVENT_SCHEMAS['protocol.executed'].example, latency_ms: 84 })

    expect(subscribes({ events: ['*'], filter: { latency_ms: 84 } }, executed)).toBe(true)
    expect(subscribes({ events: ['*'], filter: { latency_ms: '84' } }, executed)).toBe(false)
  })

  test('can ask for null', () => {
    const none = told('action.rejected', { ...EVENT_SCHEMAS['action.rejected'].example, approval_id: null })

    expect(subscribes({ filter: { approval_id: null } }, none)).toBe(true)
    expect(subscribes({ filter: { approval_id: null } })).toBe(false)
  })
})

describe('a status change of an endpoint', () => {
  const { example } = EVENT_SCHEMAS['webhook.endpoint.error']

  test('is never sent to that endpoint, also when it subscribes to all', () => {
    const own = told('webhook.endpoint.error', { ...example, endpoint_id: 'whe_1' })

    expect(subscribes({ events: ['*'] }, own)).toBe(false)
    expect(subscribes({ events: ['webhook.endpoint.error'] }, own)).toBe(false)
  })

  test('is sent to the others', () => {
    expect(subscribes({ events: ['*'] }, told('webhook.endpoint.error', { ...example, endpoint_id: 'whe_2' }))).toBe(
      true,
    )
  })
})
