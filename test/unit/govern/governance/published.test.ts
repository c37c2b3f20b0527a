// Goals: of what acts at most 0.3 % runs by itself, of what deletes at least 99.9 % is held, of what reads at least 92 % of tools
// and 96 % of operations run. The lexicon was not tuned on most of the files `held-out-…`: when one of their rates
// fails, ask what a word means, not what the file wants.
import { describe, expect, test } from 'vitest'
import { notOfTier, published, WITNESSES } from './published.ts'

const MISSES_SHOWN = 40

const FILES: [file: string, readingRuns: number][] = [
  ['tools-of-servers.txt', 0.94],
  ['operations-of-apis.txt', 0.96],
  ['held-out-tools.txt', 0.92],
  ['held-out-operations.txt', 0.96],
]

/** With the wire, and with more forms of descriptions. */
const WITH_WIRE: [file: string, readingRuns: number][] = [
  ['tools-with-wire.txt', 0.93],
  ['operations-with-wire.txt', 0.97],
  ['held-out-tools-with-wire.txt', 0.94],
  ['held-out-operations-with-wire.txt', 0.95],
]

/** Measured once with what was there, before anybody read their faults. The first was read afterwards. */
const UNSEEN: [file: string, readingRuns: number][] = [
  ['seen-operations-with-wire.txt', 0.92],
  ['unseen-tools-with-wire.txt', 0.92],
  ['unseen-operations-with-wire.txt', 0.93],
]

test('the lists hold more than 11,000 names, none from the sources of another list', () => {
  const files = [...FILES, ...WITH_WIRE, ...UNSEEN]
  const sources = files.map(([file]) => new Set(published(file).map(({ source }) => source)))

  expect(files.flatMap(([file]) => published(file)).length).toBeGreaterThan(11_000)
  expect(new Set(sources.flatMap((names) => [...names])).size).toBe(sources.reduce((sum, { size }) => sum + size, 0))
})

describe.each(FILES)('%s', (file, readingRuns) => {
  const all = published(file)
  const doing = (labels: string) => all.filter(({ does }) => labels.includes(does))

  test(`at least ${100 * readingRuns} % of what reads is AUTO`, () => {
    const held = notOfTier(doing('r'), ['AUTO'])

    expect(1 - held.length / doing('r').length, held.slice(0, MISSES_SHOWN).join('\n')).toBeGreaterThanOrEqual(
      readingRuns,
    )
  })

  test('at most 0.3 % of what acts is AUTO', () => {
    const running = notOfTier(doing('ad'), ['SOFT', 'HARD'])

    expect(running.length / doing('ad').length, running.join('\n')).toBeLessThanOrEqual(0.003)
  })

  test('without a description, at most 1 % of what acts is AUTO, and 99 % of what deletes is HARD', () => {
    const bare = (labels: string) => doing(labels).map((action) => ({ ...action, verb: undefined }))

    expect(notOfTier(bare('ad'), ['SOFT', 'HARD']).length / doing('ad').length).toBeLessThanOrEqual(0.01)
    expect(notOfTier(bare('d'), ['HARD']).length / doing('d').length).toBeLessThanOrEqual(0.01)
  })

  test('at least 99.9 % of what deletes, and all that reads a secret, is HARD', () => {
    const loose = notOfTier(doing('d'), ['HARD'])

    expect(loose.length / doing('d').length, loose.join('\n')).toBeLessThanOrEqual(0.001)
    expect(notOfTier(doing('s'), ['HARD'])).toEqual([])
  })
})

describe.each(WITH_WIRE)('%s', (file, readingRuns) => {
  const all = published(file)
  const doing = (labels: string) => all.filter(({ does }) => labels.includes(does))

  test.each(WITNESSES)('by %s, at most 0.3 % of what acts is AUTO, or two', (by) => {
    const running = notOfTier(doing('adop'), ['SOFT', 'HARD'], by)

    expect(running.length, running.join('\n')).toBeLessThanOrEqual(Math.max(2, 0.003 * doing('adop').length))
  })

  test('all that deletes, speaks to the outside, pays or reads a secret is HARD', () => {
    expect(notOfTier(doing('dops'), ['HARD'])).toEqual([])
  })

  test(`by all three witnesses, at least ${100 * readingRuns} % of what reads is AUTO`, () => {
    const held = notOfTier(doing('r'), ['AUTO'], 'all three')

    expect(1 - held.length / doing('r').length, held.slice(0, MISSES_SHOWN).join('\n')).toBeGreaterThanOrEqual(
      readingRuns,
    )
  })
})

describe.each(UNSEEN)('%s', (file, readingRuns) => {
  const doing = (labels: string) => published(file).filter(({ does }) => labels.includes(does))
  const notOf = (labels: string, tier: string) => notOfTier(doing(labels), [tier], 'all three')

  test('by all three witnesses, at most 0.3 % of what acts is AUTO, or two, and all that deletes is HARD', () => {
    const running = notOfTier(doing('adop'), ['SOFT', 'HARD'], 'all three')

    expect(running.length, running.join('\n')).toBeLessThanOrEqual(Math.max(2, 0.003 * doing('adop').length))
    expect(notOf('d', 'HARD')).toEqual([])
  })

  test(`by all three witnesses, at least ${100 * readingRuns} % of what reads is AUTO`, () => {
    const held = notOf('r', 'AUTO')

    expect(1 - held.length / doing('r').length, held.slice(0, MISSES_SHOWN).join('\n')).toBeGreaterThanOrEqual(
      readingRuns,
    )
  })
})
