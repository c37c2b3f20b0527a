import { describe, expect, test } from 'vitest'
import {
  added,
  baseOf,
  bucketAt,
  EMPTY,
  fitsAt,
  givenBack,
  isOver,
  outdated,
  roomOf,
  type View,
} from '../../../../shared/govern/limits/window.ts'

const HOUR = 3_600_000
const at = (time: string) => Date.parse(`2026-11-20T${time}Z`)
const share = (n: number) => ({ n: BigInt(n), max: 20n, windowMs: HOUR })

test('the worked example of twenty an hour comes out as written', () => {
  let view = EMPTY
  const steps: [string, number, string, number, number, boolean][] = [
    ['10:00:00', 12, 'e90tc', 0, 8, false],
    ['10:00:30', 3, 'e90tc', 0, 17, false],
    ['10:01:00', 5, 'e90tc', 0, 15, false],
    ['10:01:01', 1, 'e90tc', 0, 19, true],
    ['11:01:01', 15, 'e90uo', 0, 5, true],
    ['11:02:01', 5, 'e90up', 20, 35, false],
  ]
  for (const [time, n, mark, base, room, over] of steps) {
    const now = at(time)
    expect({
      mark: bucketAt(HOUR, now).toString(36),
      base: baseOf(view, HOUR, now),
      room: roomOf(view, share(n), now),
      over: isOver(view, share(n), now),
    }).toEqual({ mark, base: BigInt(base), room: BigInt(room), over })
    if (!over) view = added(view, share(n), now)
  }
  expect(view.t).toBe(25n)
  expect([...view.marks.keys()].map((bucket) => bucket.toString(36))).toEqual(['e90up'])
})

test('what alone exceeds the limit is over, whatever the total', () => {
  expect(isOver(EMPTY, share(21), 0)).toBe(true)
  expect(fitsAt(EMPTY, share(21))).toBeUndefined()
})

test('a full counter says when the next fits', () => {
  const view = added(EMPTY, share(20), at('10:00:00'))
  const free = fitsAt(view, share(1)) ?? 0

  expect(isOver(view, share(1), free - 1)).toBe(true)
  expect(isOver(view, share(1), free)).toBe(false)
})

type Rules = { base: typeof baseOf; epoch: boolean; old: typeof outdated }
type Entry = { at: number; n: number; bucket: number; back: boolean }

/** Containers with views and clocks of their own add to one counter; answers by how much some window passes the limit. */
function run(seed: number, { base, epoch, old }: Rules): { excess: number; early: number } {
  const random = generator(seed)
  const windowMs = 60_000
  const max = 1 + Math.floor(random() * 8)
  const skews = Array.from({ length: 1 + Math.floor(random() * 4) }, () => Math.floor(random() * 1_000) - 500)
  const views: (View | undefined)[] = skews.map(() => undefined)
  const entries: Entry[] = []
  let item: View = EMPTY
  let now = 1_000_000_000 + Math.floor(random() * windowMs)
  let early = 0
  for (let step = 0; step < 60; step += 1) {
    now += Math.floor(random() * random() * 9_000)
    const one = Math.floor(random() * skews.length)
    const clock = now + (skews[one] ?? 0)
    const given = entries.find((entry) => !entry.back)
    if (given && random() < 0.05) {
      item = givenBack(item, BigInt(given.n), given.bucket)
      given.back = true
      continue
    }
    const n = 1 + Math.floor(random() * 2)
    const fits = (view: View) => view.t <= BigInt(max) + base(view, windowMs, clock) - BigInt(n) && n <= max
    let view = views[one] ?? item
    if (!fits(view)) view = item
    views[one] = view
    const passes = fits(view) && item.t <= BigInt(max) + base(view, windowMs, clock) - BigInt(n)
    const current = !epoch || view.e === item.e
    if (passes && current) {
      const gone = new Set(old(view, windowMs, clock))
      const marks = new Map([...added(item, { n: BigInt(n), windowMs }, clock).marks].concat([...item.marks]))
      for (const bucket of gone) marks.delete(bucket)
      item = { t: item.t + BigInt(n), e: item.e, marks }
      entries.push({ at: now, n, bucket: bucketAt(windowMs, clock), back: false })
    } else {
      views[one] = item
      const wide = windowMs + windowMs / 48 + 2_500
      const within = entries
        .filter((entry) => entry.at > now - wide && !entry.back)
        .reduce((sum, entry) => sum + entry.n, 0)
      const backed = entries.some(({ back }) => back)
      if (!backed && within + n <= max && !fits(item)) early += 1
    }
  }
  const excess = entries.map((first) => {
    const total = entries
      .filter((entry) => !entry.back && entry.at >= first.at && entry.at < first.at + windowMs)
      .reduce((sum, entry) => sum + entry.n, 0)
    return total - max
  })
  return { excess: Math.max(0, ...excess), early }
}

function generator(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) >>> 0
    return ((state ^ (state >>> 13)) >>> 0) / 4_294_967_296
  }
}

const RIGHT: Rules = { base: baseOf, epoch: true, old: outdated }
const SEEDS = Array.from({ length: 2_000 }, (_, seed) => seed + 1)
const worst = (rules: Rules) => Math.max(...SEEDS.map((seed) => run(seed, rules).excess))

describe('with several containers, stale views, clocks that differ and shares given back', () => {
  test('no window ever holds more than the limit, and nobody is refused while there is room', () => {
    const results = SEEDS.map((seed) => run(seed, RIGHT))

    expect(Math.max(...results.map(({ excess }) => excess))).toBe(0)
    expect(results.reduce((sum, { early }) => sum + early, 0)).toBe(0)
  })

  test.each<[string, Partial<Rules>]>([
    ['views from before something was given back still counted', { epoch: false }],
    ['the total of an old view were taken where a mark is smaller', { base: (view) => view.t }],
    ['marks were removed too early', { old: ({ marks }) => [...marks.keys()] }],
  ])('it would if %s', (_, planted) => {
    expect(worst({ ...RIGHT, ...planted })).toBeGreaterThan(0)
  })
})

test('the smallest mark counts, and not the oldest, because clocks that lag write marks out of order', () => {
  const view: View = {
    t: 9n,
    e: 0n,
    marks: new Map([
      [bucketAt(HOUR, at('10:00:00')), 5n],
      [bucketAt(HOUR, at('10:02:00')), 3n],
    ]),
  }

  expect(baseOf(view, HOUR, at('10:30:00'))).toBe(3n)
})
