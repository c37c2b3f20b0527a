import { describe, expect, test } from 'vitest'
import { cidrText, isAllowed, mustBeAllowed, readCidr } from '../../../../shared/identity/access/allowlist.ts'

const read = (text: string) => {
  const network = readCidr(text)
  return network && cidrText(network)
}

describe('networks', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.7/32', '203.0.113.7/32'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['2001:DB8:0:0::1', '2001:db8::1/128'],
    ['::/0', '::/0'],
    ['::1', '::1/128'],
    ['2001:db8:0:0:0:0:0:0/64', '2001:db8::/64'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:cb00:7107', '203.0.113.7/32'],
    ['64:ff9b::10.0.0.1', '64:ff9b::a00:1/128'],
  ])('%s is %s', (text, network) => {
    expect(read(text)).toBe(network)
  })

  test.each([
    '0177.0.0.1/8',
    '010.1.1.1',
    '1.2.3/8',
    '1.2.3.4.5',
    '0x7f.0.0.1',
    '2130706433',
    '10.0.0.1/8',
    '2001:db8::1/64',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/+8',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/255.0.0.0',
    '2001:db8::/129',
    'fe80::1%eth0',
    '::ffff:10.0.0.1/104',
    ' 10.0.0.0/8',
    '10.0.0.0/8\n',
    'example.com',
    '*',
    '',
    '/8',
  ])('%j is no network', (text) => {
    expect(readCidr(text)).toBeUndefined()
  })
})

describe('callers', () => {
  test('without rules everybody is let in', () => {
    expect(isAllowed([], '203.0.113.7')).toBe(true)
    expect(isAllowed([], '')).toBe(true)
  })

  test.each([
    ['10.1.2.3', true],
    ['11.1.2.3', false],
    ['::ffff:10.1.2.3', true],
    ['::ffff:a01:203', true],
    ['::ffff:11.1.2.3', false],
    ['2001:db8::1', true],
    ['2001:db9::1', false],
    ['203.0.113.7', true],
    ['203.0.113.8', false],
    ['', false],
    ['not an address', false],
  ])('from "%s" are let in: %s', (ip, allowed) => {
    expect(isAllowed(['10.0.0.0/8', '203.0.113.7/32', '2001:db8::/32'], ip)).toBe(allowed)
  })

  test('a rule for all of IPv6 lets nobody in over IPv4, and the other way round', () => {
    expect(isAllowed(['::/0', '10.0.0.0/8'], '203.0.113.7')).toBe(false)
    expect(isAllowed(['0.0.0.0/0'], '2001:db8::1')).toBe(false)
  })

  test('from elsewhere get the code of it', () => {
    const ip_allowlist = ['10.0.0.0/8']

    expect(() => mustBeAllowed({ ip_allowlist }, '10.0.0.1')).not.toThrow()
    expect(() => mustBeAllowed({ ip_allowlist }, '203.0.113.7')).toThrow(
      expect.objectContaining({ kind: 'forbidden', options: { code: 'ip_not_allowed' } }),
    )
  })
})
