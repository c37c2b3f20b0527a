import { expect, test } from 'vitest'
import { Redactor } from '../../../../../shared/govern/governance/pii/redact.ts'
import { searchPii } from '../../../../../shared/govern/governance/pii/search.ts'

const SMALL = 32_768
const GROWTH = 8
const RUNS = 3
const TRIES = 5

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

/**
 * How many times what `large` costs is what `small` costs: about 8 where it is in proportion to the length, 64 where it is to its
 * square. Other load raises a figure now and then, so one of several tries is believed that shows the proportion.
 */
function growth(cost: (size: 'small' | 'large') => number): number {
  cost('small') // compiled by now
  const floor = 2_000 // below it, a collection of garbage counts for more than the search
  let least = Infinity
  for (let i = 0; i < TRIES && least >= GROWTH * 3; i += 1)
    least = Math.min(least, cost('large') / Math.max(floor, cost('small')))
  return least
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
])('searching and redacting 256 KB costs in proportion to their length: %s', (_, piece) => {
  const documents = { small: { phone: filled(piece, SMALL) }, large: { phone: filled(piece, SMALL * GROWTH) } }
  const search = (document: { phone: string }) => [searchPii(document), new Redactor().redactMembers(document)]

  expect(growth((size) => cheapest(() => search(documents[size])))).toBeLessThan(GROWTH * 3)
})

test('a long list under a long name costs in proportion to both', () => {
  const listed = (count: number) => ({ ['phone'.repeat(count)]: Array.from({ length: count }, () => '415 555 2671') })
  const documents = { small: listed(2_000), large: listed(2_000 * GROWTH) }

  expect(growth((size) => cheapest(() => searchPii(documents[size])))).toBeLessThan(GROWTH * 3)
})
