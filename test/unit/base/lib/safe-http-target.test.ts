import { describe, expect, test } from 'vitest'
import {
  addressSet,
  type OutboundRules,
  refusalOfHost,
  refusalOfUrl,
} from '../../../../shared/base/lib/safe-http-target.ts'
import { call } from '../../../../shared/base/lib/safe-http-call.ts'
import { receiver, says } from './receivers.ts'

const strict: OutboundRules = { http: false, resolve: async () => ['127.0.0.1'] }
const local: OutboundRules = { ...strict, http: true, allowed: addressSet('127.0.0.1/32 ::1/128') }

const post = (url: string, rules: OutboundRules) =>
  call({ url, method: 'POST', headers: {}, body: '{}', deadlineMs: 1_000, answerBytesMax: 100 }, rules)

/** Spellings of loopback, private, metadata and other special addresses, and names that are none of the public ones. */
const HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::1]',
  '[100::1]',
  '[2001::1]',
  '[2001:db8::1]',
  '[2002:7f00:1::]',
  '[2620:4f:8000::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[4000::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  'localhost',
  'LOCALHOST',
  '%6cocalhost',
  'localhost.',
  'app.localhost',
  'printer',
  'printer.local',
  'metadata.google.internal',
  'router.home.arpa',
  'a.test',
  'a.invalid',
  'a.onion',
]

describe.each(HOSTS)('https://%s/', (host) => {
  test('is refused by its URL alone', () => {
    expect(refusalOfUrl(`https://${host}/`, strict)).toMatch(/^must be a public/)
  })

  test('is not called, whichever port a private server has', async () => {
    const inside = await receiver(says('HTTP/1.1 200 OK', '', 'secret'))

    const outcome = await post(`http://${host}:${inside.port}/`, { ...strict, http: true })

    expect(outcome).toMatchObject({ kind: 'not_sent', error_class: 'blocked_target' })
    expect(inside.connections).toBe(0)
  })
})

test.each([
  ['https://example.com/hook', undefined],
  ['https://example.com:8443/', undefined],
  ['https://8.8.8.8/', undefined],
  ['https://[2606:4700:4700::1111]/', undefined],
  ['https://[::ffff:8.8.8.8]/', undefined],
  ['https://bücher.example/', undefined],
  ['http://example.com/', 'must be an https URL'],
  ['ftp://example.com/', 'must be an https URL'],
  ['file:///etc/passwd', 'must be an https URL'],
  ['javascript:alert(1)', 'must be an https URL'],
  ['//example.com/', 'must be an absolute URL'],
  ['https://', 'must be an absolute URL'],
  ['https://[fe80::1%25eth0]/', 'must be an absolute URL'],
  ['https://user@example.com/', 'must not carry user information'],
  ['https://example.com@127.0.0.1/', 'must not carry user information'],
  ['https://:secret@example.com/', 'must not carry user information'],
  ['https://example.com:22/', 'port must be 443 or at least 1024'],
  ['https://example.com:80/', 'port must be 443 or at least 1024'],
  ['https://example.com:443/', undefined],
])('the address %s gets the verdict "%s"', (url, refusal) => {
  expect(refusalOfUrl(url, strict)).toBe(refusal)
})

const resolvesTo = (...addresses: string[]): OutboundRules => ({ ...strict, resolve: async () => addresses })

describe('the addresses of a name', () => {
  test('refuse it at registration when one of them is not public', async () => {
    const refusal = 'must resolve to public addresses only'

    expect(await refusalOfHost('example.com', resolvesTo('8.8.8.8', '2606:4700::1'))).toBeUndefined()
    expect(await refusalOfHost('example.com', resolvesTo('10.0.0.1'))).toBe(refusal)
    expect(await refusalOfHost('example.com', resolvesTo('8.8.8.8', '10.0.0.1'))).toBe(refusal)
    expect(await refusalOfHost('example.com', resolvesTo('2606:4700::1%eth0'))).toBe(refusal)
  })

  test('may be missing at registration', async () => {
    expect(await refusalOfHost('example.com', { ...strict, resolve: () => Promise.reject() })).toBeUndefined()
  })

  test('refuse the call as a whole when one of them is not public', async () => {
    const inside = await receiver(says('HTTP/1.1 200 OK', '', 'secret'))
    const rules = { ...resolvesTo('8.8.8.8', '127.0.0.1'), http: true }

    const outcome = await post(`https://rebind.example.com:${inside.port}/`, rules)

    expect(outcome).toMatchObject({ kind: 'not_sent', error_class: 'blocked_target' })
    expect(inside.connections).toBe(0)
  })

  test('are asked for once, so that a second answer moves nothing', async () => {
    const inside = await receiver(says('HTTP/1.1 200 OK', '', 'secret'))
    let asked = 0
    const resolve = async () => {
      asked += 1
      return asked === 1 ? ['192.0.2.1'] : ['127.0.0.1']
    }
    const allowed = addressSet('192.0.2.1/32')

    await post(`https://rebind.example.com:${inside.port}/`, { http: true, allowed, resolve })

    expect(asked).toBe(1)
    expect(inside.connections).toBe(0)
  })
})

describe('on a developer’s machine', () => {
  test('loopback and localhost are reached over http', async () => {
    const inside = await receiver(says('HTTP/1.1 200 OK', 'Content-Length: 0', '', ''))

    expect(await post(`http://127.0.0.1:${inside.port}/`, local)).toMatchObject({ kind: 'answer', status: 200 })
    expect(await post(`http://localhost:${inside.port}/`, local)).toMatchObject({ kind: 'answer', status: 200 })
  })

  test.each([
    'http://example.com/',
    'http://8.8.8.8/',
    'http://[2606:4700:4700::1111]:8080/',
    'http://loopback.example/',
  ])('%s is refused, because http is for loopback only', async (url) => {
    const refusal = 'must be an https URL outside loopback'

    expect(refusalOfUrl(url, local)).toBe(refusal)
    expect(refusalOfUrl(url.replace('http:', 'https:'), local)).toBeUndefined()
    expect(await post(url, local)).toMatchObject({ kind: 'not_sent', error_class: 'blocked_target' })
  })

  test.each(['127.0.0.2', '10.0.0.1', '169.254.169.254', 'printer', 'a.internal'])('%s stays refused', (host) => {
    expect(refusalOfUrl(`http://${host}:8080/`, local)).toMatch(/^must be a public/)
  })
})
