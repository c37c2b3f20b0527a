import { expect, test } from 'vitest'
import { Redactor } from '../../../../../shared/govern/governance/pii/redact.ts'
import { searchPii } from '../../../../../shared/govern/governance/pii/search.ts'

const SMALL = 32_768
const GROWTH = 4
const RUNS = 3

const filled = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

/** Of several runs the cheapest, in microseconds of this process alone, so that other load does not count. */
function cheapest(run: () => unknown): number {
  const costs = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.min(...costs)
}

test.each([
  ['at signs', 'a@'],
  ['mail addresses that end nowhere', '@a.a.a.a.a.'],
  ['long local parts', `${'a'.repeat(63)} @a.bc `],
  ['digits', '4'],
  ['digits with gaps', '4111 1111-'],
  ['phone numbers without end', '+1 (2) 3.4/'],
  ['starts of IBANs', 'DE89 '],
  ['colons', '::1:'],
  ['dots', '1.1.'],
  ['starts of tokens', 'eyJaaaaaa.'],
  ['bearer without a token', 'bearer    '],
  ['openings of private keys', '-----BEGIN PRIVATE KEY-----'],
  ['dates beside birth', 'born 1.1.1970 '],
])('searching and redacting 128 KB costs in proportion to their length: %s', (_, piece) => {
  const [small, large] = [{ phone: filled(piece, SMALL) }, { phone: filled(piece, SMALL * GROWTH) }]
  const cost = (document: { phone: string }) =>
    cheapest(() => [searchPii(document), new Redactor().redactMembers(document)])
  cost(small) // compiled by now

  const floor = 2_000 // below it, a collection of garbage counts for more than the search
  expect(cost(large) / Math.max(floor, cost(small))).toBeLessThan(GROWTH * GROWTH * 0.75)
})

test('a long list under a long name costs in proportion to both', () => {
  const listed = (count: number) => ({ ['phone'.repeat(count)]: Array.from({ length: count }, () => '415 555 2671') })
  const [small, large] = [listed(4_000), listed(16_000)]
  const cost = (document: ReturnType<typeof listed>) => cheapest(() => searchPii(document))
  cost(small)

  expect(cost(large) / Math.max(2_000, cost(small))).toBeLessThan(GROWTH * GROWTH * 0.75)
})
