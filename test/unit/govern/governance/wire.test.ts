// What a target is called with raises an action, whatever its author calls it.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../../../shared/govern/manifests/manifest.ts'
import { wireOf } from '../../../../shared/govern/governance/wire.ts'
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
