// What a target is called with raises an action, whatever its author calls it.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../../../shared/govern/manifests/manifest.ts'
import { wireOf } from '../../../../shared/govern/governance/words/wire.ts'
import { isHigher, isStricter } from '../../../../shared/base/catalog/kinds.ts'
import { classified } from './make.ts'
import { runs } from '../../../support/runs.ts'

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
const http = (method: Method | undefined, path = '/'): Endpoint['target'] => ({
  type: 'http',
  url: `https://shop.example${path}`,
  ...(method && { method }),
})
const connected = (method: Method | 'GET' | 'HEAD', path: string, graphql?: string): Endpoint['target'] => ({
  type: 'connection',
  connector_id: 'shop',
  method,
  path,
  params: [],
  ...(graphql !== undefined && { graphql }),
})
const reading = (target: Endpoint['target'], more: Partial<Endpoint> = {}) =>
  classified('get_report', { description: 'Reads a report.', target, ...more })

describe('the method of a target', () => {
  test.each<[Endpoint['target'], string, string]>([
    [http('DELETE'), 'delete', 'HARD'],
    [http('PUT'), 'update', 'SOFT'],
    [http('PATCH'), 'update', 'SOFT'],
    [http('POST'), 'read', 'AUTO'],
    [http(undefined), 'read', 'AUTO'],
    [connected('GET', '/reports'), 'read', 'AUTO'],
    [connected('HEAD', '/reports'), 'read', 'AUTO'],
    [connected('POST', '/reports'), 'write', 'SOFT'],
    [connected('PUT', '/reports'), 'update', 'SOFT'],
    [connected('PATCH', '/reports'), 'update', 'SOFT'],
    [connected('DELETE', '/reports'), 'delete', 'HARD'],
    [connected('POST', '/graphql', '{ report { id } }'), 'read', 'AUTO'],
    [connected('POST', '/graphql', 'mutation { report { id } }'), 'write', 'SOFT'],
  ])('of a reading name with %j is %s, %s', (target, kind, tier) => {
    expect(reading(target)).toMatchObject({ kind, tier })
  })

  test('counts against a looser kind that a person vouches for', () => {
    const vouched = { kind: 'read', kindIsVouched: true } as const
    expect(classified('frobnicate', vouched).tier).toBe('AUTO')
    expect(classified('frobnicate', { ...vouched, target: http('PATCH') })).toMatchObject({
      kind: 'update',
      tier: 'SOFT',
    })
    expect(classified('frobnicate', { ...vouched, target: http('DELETE') })).toMatchObject({
      kind: 'delete',
      tier: 'HARD',
    })
  })

  test.each(['X-HTTP-Method-Override', 'x-http-method', 'X-Method-Override'])(
    'may be any where a header %s names another',
    (name) => {
      const target: Endpoint['target'] = { type: 'http', url: 'https://shop.example/', headers: { [name]: '********' } }
      expect(reading(target)).toMatchObject({ kind: 'delete', tier: 'HARD' })
    },
  )

  test('says in the reasons why', () => {
    expect(reading(http('DELETE')).reasons).toEqual(
      expect.arrayContaining([
        { signal: 'target', value: 'DELETE', floor: 'HARD' },
        { signal: 'method', value: 'DELETE', floor: 'HARD' },
      ]),
    )
  })
})

describe('the path of a target', () => {
  test.each([
    '/payments/refund',
    '/v1/refunds',
    '/v1/reports/delete',
    '/v1/reports/%64elete',
    '/v1/deleteReport',
    '/drafts/1:send',
    '/rpc?method=removeReport',
    '/terminate-instance',
    '/user_disable',
    '/run/purge',
  ])('that names an act makes a read HARD: %s', (path) => {
    expect(reading(http('POST', path))).toMatchObject({ tier: 'HARD' })
    expect(reading(http('POST', path)).kind).not.toBe('read')
  })

  test.each([
    '/',
    '/reports',
    '/reports/run',
    '/v1/execute',
    '/orders/list',
    '/list_refunds',
    '/messages/search',
    '/%E0%A4%A',
  ])('that names a thing, or a read, leaves a read: %s', (path) => {
    expect(reading(http('POST', path))).toMatchObject({ kind: 'read', tier: 'AUTO' })
  })

  test('that only lists what is read by a GET leaves it', () => {
    expect(classified('list_charges', { target: connected('GET', '/charges') }).tier).toBe('AUTO')
    expect(classified('list_charges', { target: connected('POST', '/charges') })).toMatchObject({
      kind: 'payment',
      tier: 'HARD',
    })
  })
})

describe('a POST to an API', () => {
  const READS = [
    '/orders/search',
    '/getAccountHolder',
    '/v1/items:search',
    '/rates/calculate',
    '/v1/items/{id}/validate',
  ]

  test.each(READS)('reads where its path ends with a read, and name and description read: %s', (path) => {
    expect(reading(connected('POST', path))).toMatchObject({ kind: 'read', tier: 'AUTO' })
  })

  test.each([
    '/orders',
    '/list/{id}',
    '/orders/get-or-create',
    '/search/rebuild',
    '/messages/{id}/read',
    '/messages/view',
    '/otp/verify',
    '/environments/preview',
    '/searches',
    '/orders/find-and-merge',
    '/search/run',
    '/check-out',
    '/access_token/get_token',
  ])('is held at a path that ends with something else: %s', (path) => {
    expect(reading(connected('POST', path)).tier).not.toBe('AUTO')
  })

  test.each(['/refund/search', '/send/estimate', '/users/delete/list', '/terminate-instance/check'])(
    'is an act where another part of its path is one: %s',
    (path) => {
      expect(reading(connected('POST', path)).tier).toBe('HARD')
    },
  )

  test.each([
    ['get_report', undefined],
    ['get_report', ''],
    ['get_report', 'Report.'],
    ['get_report', 'Reads a report, then tidies the index.'],
    ['get_report', 'Reads a report. Then deletes it.'],
    ['get_report', 'Updates the report.'],
    ['zorbex', 'Reads a report.'],
    ['create_report', 'Reads a report.'],
    ['get_report_and_wibble', 'Reads a report.'],
  ])('is held where its words do not read to their end: %s, %j', (name, description) => {
    const target = connected('POST', '/reports/search')
    expect(classified(name, { ...(description !== undefined && { description }), target }).tier).not.toBe('AUTO')
  })

  test('is the only method that a path excuses', () => {
    expect(reading(connected('PUT', '/orders/search')).tier).toBe('SOFT')
    expect(reading(connected('PATCH', '/orders/search')).tier).toBe('SOFT')
    expect(reading(connected('DELETE', '/orders/search')).tier).toBe('HARD')
    expect(reading(connected('POST', '/orders/search', 'mutation { order { id } }')).tier).toBe('SOFT')
  })
})

describe('a GET', () => {
  test('of a thing whose name holds an act reads', () => {
    expect(classified('getPayRun', { target: connected('GET', '/PayRuns/{id}') }).tier).toBe('AUTO')
    expect(classified('CheckCanDelete', { target: connected('GET', '/monitor/can_delete') }).tier).toBe('AUTO')
  })

  test('of one charge or refund reads where the name says so', () => {
    expect(classified('refund_fetch', { target: connected('GET', '/refund/{id}') }).tier).toBe('AUTO')
    expect(classified('refund', { target: connected('GET', '/refund/{id}') }).tier).toBe('HARD')
    expect(classified('refund_fetch', { target: connected('POST', '/refund/{id}') }).tier).toBe('HARD')
  })

  test.each(['/pay', '/pay/{id}', '/runs/pay', '/can/delete', '/monitor/delete'])('of an act does not: %s', (path) => {
    expect(classified('get_report', { target: connected('GET', path) }).tier).toBe('HARD')
  })
})

test('an action without a target has no wire, and one with a target is never looser than without', () => {
  expect(wireOf({ action_id: 'get_report' })).toBeUndefined()
  const targets = fc.constantFrom(
    http('POST'),
    http('DELETE'),
    http('PUT', '/refund'),
    connected('GET', '/reports'),
    connected('POST', '/send'),
  )
  const names = fc.constantFrom(
    'get_report',
    'update_report',
    'delete_report',
    'send_email',
    'frobnicate',
    'refund_payment',
  )
  fc.assert(
    fc.property(names, targets, (name, target) => {
      const [bare, aimed] = [classified(name), classified(name, { target })]
      expect(isStricter(bare.tier, aimed.tier)).toBe(false)
      expect(isHigher(bare.kind, aimed.kind)).toBe(false)
    }),
    runs(200),
  )
})
