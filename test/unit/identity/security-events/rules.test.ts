import { describe, expect, test } from 'vitest'
import { CENTROIDS } from '../../../../shared/identity/security-events/centroids.ts'
import { networkOf } from '../../../../shared/identity/security-events/attempts.ts'
import { scoreOf, waitUntil } from '../../../../shared/identity/security-events/block.ts'
import {
  arrivalAfter,
  compare,
  distanceKm,
  familyOf,
} from '../../../../shared/identity/security-events/note-success.ts'

describe('networks', () => {
  test.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2::3', '2001:db8:1::/48'],
    ['2001:0DB8:0001::', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['1:2:3:4:5:6:7:8', '1:2:3::/48'],
    ['', ''],
    ['junk', 'junk'],
  ])('%j belongs to %j', (ip, network) => {
    expect(networkOf(ip)).toBe(network)
  })
})

describe('distances', () => {
  test.each([
    ['DE', 'DE', 0, 0],
    ['DE', 'FR', 600, 850],
    ['DE', 'US', 7_400, 8_100],
    ['NZ', 'ES', 19_000, 20_100],
    ['FJ', 'WS', 500, 1_200], // across the date line
  ])('from %s to %s are right', (one, other, least, most) => {
    expect(distanceKm(one, other)).toBeGreaterThanOrEqual(least)
    expect(distanceKm(one, other)).toBeLessThanOrEqual(most)
    expect(distanceKm(other, one)).toBeCloseTo(distanceKm(one, other) ?? NaN, 6)
  })

  test('are unknown where a country is', () => {
    expect(distanceKm('DE', 'ZZ')).toBeUndefined()
    expect(arrivalAfter({ country: 'ZZ', at: 0 }, 'DE')).toBeUndefined()
  })

  test('of centres are on earth, one per code', () => {
    const all = Object.entries(CENTROIDS)

    expect(all.length).toBeGreaterThan(245)
    for (const [code, [lat = 99, lon = 999] = []] of all) {
      expect(code).toMatch(/^[A-Z]{2}$/)
      expect(Math.abs(lat)).toBeLessThanOrEqual(90)
      expect(Math.abs(lon)).toBeLessThanOrEqual(180)
    }
  })

  test('take their time at 900 km/h, and none up to 500 km', () => {
    const km = distanceKm('DE', 'US') ?? 0

    expect(arrivalAfter({ country: 'DE', at: 1_000 }, 'US')).toBe(1_000 + Math.ceil((km / 900) * 3_600_000))
    expect(arrivalAfter({ country: 'NL', at: 1_000 }, 'BE')).toBeUndefined()
    expect(
      compare({ tenant_id: 't', user_id: 'u', countries: {}, devices: {} }, { country: 'US', device: 'x', at: 0 }),
    ).toEqual({ newDevice: false, newCountry: false, arrival: undefined })
  })
})

describe('families of clients', () => {
  test.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Chrome on Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    ['curl/8.5.0', 'curl'],
    ['python-requests/2.32.0', 'python-requests'],
    ['', 'unknown'],
    ['__proto__', 'unknown'],
    ['__proto__/1 (X11; Linux x86_64)', 'unknown on Linux'],
    ['<script>alert(1)</script>', 'unknown'],
    [`${'x'.repeat(500)}/1`, 'x'.repeat(60)],
  ])('hold "%s"', (agent, family) => {
    expect(familyOf(agent)).toBe(family)
  })
})

describe('figures', () => {
  test('the wait doubles from one second after the fifth failure', () => {
    const after = (count: number) => waitUntil(Array.from({ length: count }, () => 1_000))

    expect([0, 4, 5, 6, 10].map(after)).toEqual([0, 0, 2_000, 3_000, 33_000])
  })

  test('the score is the worst of all signs', () => {
    const none = { failures: 0, newDevice: false, newCountry: false, impossibleTravel: false }

    expect(scoreOf(none)).toBe(0)
    expect(scoreOf({ ...none, failures: 3, newDevice: true })).toBe(30)
    expect(scoreOf({ ...none, failures: 9, newCountry: true })).toBe(50)
    expect(scoreOf({ failures: 9, newDevice: true, newCountry: true, impossibleTravel: true })).toBe(80)
  })
})
