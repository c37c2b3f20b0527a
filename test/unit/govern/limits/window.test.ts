import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  added,
  baseOf,
  bucketAt,
  EMPTY,
  fitsAt,
  givenBack,
  isMore,
  isOver,
  outdated,
  roomOf,
  type View,
} from '../../../../shared/govern/limits/window.ts'
import { runs } from '../../../support/runs.ts'

const HOUR = 3_600_000
const today = (time: string) => Date.parse(`2026-11-20T${time}Z`)
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
    const now = today(time)
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

test('an amount that alone exceeds the limit is over at any total', () => {
  expect(isOver(EMPTY, share(21), 0)).toBe(true)
  expect(fitsAt(EMPTY, share(21))).toBeUndefined()
})

test('a full counter says when the next fits', () => {
  const view = added(EMPTY, share(20), today('10:00:00'))
  const free = fitsAt(view, share(1)) ?? 0

  expect(isOver(view, share(1), free - 1)).toBe(true)
  expect(isOver(view, share(1), free)).toBe(false)
})

/** A request between its decision and its commit. */
type UnderWay = { at: number; one: number; n: number; view: View; clock: number }
type Rules = {
  base: typeof baseOf
  epoch: boolean
  old: typeof outdated
  /** What a container knows after its own commit. */
  learned: (known: View | undefined, own: UnderWay) => View | undefined
}
type Entry = { at: number; n: number; bucket: number; back: boolean }

const WINDOW_MS = 60_000
/** How far the figures of a run are off: by how much some window, or some view, passes what it may; and who was refused early. */
type Faults = { excess: number; ahead: number; early: number }

/** Containers with views and clocks of their own add to one counter. */
function run(seed: number, { base, epoch, old, learned }: Rules): Faults {
  const random = generator(seed)
  const max = 1 + Math.floor(random() * 8)
  const skews = Array.from({ length: 1 + Math.floor(random() * 4) }, () => Math.floor(random() * 1_000) - 500)
  const views: (View | undefined)[] = skews.map(() => undefined)
  const entries: Entry[] = []
  const underWay: UnderWay[] = []
  const answers: UnderWay[] = []
  let item: View = EMPTY
  let now = 1_000_000_000 + Math.floor(random() * WINDOW_MS)
  let [early, ahead] = [0, 0]
  const roomFor = (n: number, view: View, clock: number) => BigInt(max - n) + base(view, WINDOW_MS, clock)
  const commit = (own: UnderWay) => {
    const { at, one, n, view, clock } = own
    if (item.t > roomFor(n, view, clock) || (epoch && view.e !== item.e)) {
      views[one] = item
      return
    }
    const { marks } = added(item, { n: BigInt(n), windowMs: WINDOW_MS }, clock)
    const kept = new Map([...marks, ...item.marks])
    for (const bucket of old(view, WINDOW_MS, clock)) kept.delete(bucket)
    item = { t: item.t + BigInt(n), e: item.e, marks: kept }
    entries.push({ at, n, bucket: bucketAt(WINDOW_MS, clock), back: false })
    answers.push(own)
  }
  const hear = (own: UnderWay) => {
    const known = learned(views[own.one], own)
    views[own.one] = known
    if (known?.e === item.e && known.t > item.t) ahead += 1
  }
  const mayBeRefused = (n: number) => {
    const wide = WINDOW_MS + WINDOW_MS / 48 + 2_500
    const within = [...entries, ...underWay].filter(({ at }) => at > now - wide).reduce((sum, { n: m }) => sum + m, 0)
    return entries.some(({ back }) => back) || within + n > max
  }
  for (let step = 0; step < 180; step += 1) {
    const waiting = underWay.length + answers.length > 0
    now += Math.floor(random() * random() * (waiting ? 500 : 9_000))
    const [ending, answer] = [underWay[0], answers[0]]
    if (answer && (random() < 0.3 || answer.at < now - 1_500)) {
      hear(answer)
      answers.shift()
      continue
    }
    if (ending && (random() < 0.3 || ending.at < now - 1_500)) {
      commit(ending)
      underWay.shift()
      continue
    }
    const given = entries.find((entry) => !entry.back)
    if (given && random() < 0.05) {
      item = givenBack(item, BigInt(given.n), given.bucket)
      given.back = true
      continue
    }
    const one = Math.floor(random() * skews.length)
    const clock = now + (skews[one] ?? 0)
    const n = 1 + Math.floor(random() * 2)
    const isFull = (view: View) => n > max || view.t > roomFor(n, view, clock)
    const known = views[one]
    const view = known && !isFull(known) ? known : item
    views[one] = view
    if (isFull(view)) early += mayBeRefused(n) ? 0 : 1
    else underWay.push({ at: now, one, n, view, clock })
  }
  const excess = entries.map((first) => {
    const inside = ({ at, back }: Entry) => !back && at >= first.at && at < first.at + WINDOW_MS
    return entries.filter(inside).reduce((sum, { n }) => sum + n, 0) - max
  })
  return { excess: Math.max(0, ...excess), ahead, early }
}

function generator(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) >>> 0
    return ((state ^ (state >>> 13)) >>> 0) / 4_294_967_296
  }
}

const after = ({ view, n, clock }: UnderWay, before = view) =>
  added(before, { n: BigInt(n), windowMs: WINDOW_MS }, clock)
const learned: Rules['learned'] = (known, own) => (isMore(known, after(own)) ? after(own) : known)

const RIGHT: Rules = { base: baseOf, epoch: true, old: outdated, learned }
const SEEDS = Array.from({ length: runs(500).numRuns }, (_, seed) => seed + 1)
const worst = (of: keyof Faults, rules: Rules) => Math.max(...SEEDS.map((seed) => run(seed, rules)[of]))

describe('with several containers, stale views, clocks that differ, overlapping requests and shares given back', () => {
  test('no window ever holds more than the limit, and nobody is refused while there is room', () => {
    const results = SEEDS.map((seed) => run(seed, RIGHT))
    const worstOf = (of: keyof Faults) => Math.max(...results.map((result) => result[of]))

    expect({ excess: worstOf('excess'), ahead: worstOf('ahead'), early: worstOf('early') }).toEqual({
      excess: 0,
      ahead: 0,
      early: 0,
    })
  })

  test.each<[string, Partial<Rules>]>([
    ['views from before something was given back still counted', { epoch: false }],
    ['the total of an old view were taken where a mark is smaller', { base: (view) => view.t }],
    ['marks were removed too early', { old: ({ marks }) => [...marks.keys()] }],
  ])('it would if %s', (_, planted) => {
    expect(worst('excess', { ...RIGHT, ...planted })).toBeGreaterThan(0)
  })

  test('a container that added its own share to a newer view would know a total that is too high', () => {
    expect(worst('ahead', { ...RIGHT, learned: (known, own) => after(own, known) })).toBeGreaterThan(0)
  })
})

describe('after an own write, a container', () => {
  const [one, two] = [added(EMPTY, share(1), 0), added(EMPTY, share(2), 0)]

  test.each<[string, View | undefined, View, boolean]>([
    ['knows of it where it knew nothing', undefined, one, true],
    ['knows of it where it knew less', one, two, true],
    ['keeps what it has seen of more', two, one, false],
    ['keeps what it has seen since something was given back', { ...EMPTY, e: 1n }, two, false],
  ])('%s', (_, known, view, expected) => {
    expect(isMore(known, view)).toBe(expected)
  })

  test('knows the whole total while no other writes', () => {
    let [item, known]: [View, View | undefined] = [EMPTY, undefined]
    for (let at = 0; at < 40; at += 1) {
      known = learned(known, { at, one: 0, n: 2, view: known ?? item, clock: at * 997 })
      item = added(item, { n: 2n, windowMs: WINDOW_MS }, at * 997)
      expect(known).toEqual(item)
    }
  })
})

describe('of any length, from a minute to 31 days', () => {
  const MINUTE = 60_000
  const lengths = [1, 5, 60, 24 * 60, 7 * 24 * 60, 31 * 24 * 60].map((minutes) => minutes * MINUTE)
  const window = fc.constantFrom(...lengths)
  const max = fc.integer({ min: 1, max: 9 })
  /** Pauses as shares of the window, and how much comes then. */
  const requests = fc.array(fc.tuple(fc.double({ min: 0, max: 0.5, noNaN: true }), fc.integer({ min: 1, max: 3 })), {
    maxLength: 40,
  })

  test('a window passes what a plain list of its entries has room for, and is early by one bucket and a second at most', () => {
    fc.assert(
      fc.property(window, max, requests, (windowMs, most, all) => {
        const entries: { at: number; n: number }[] = []
        let [view, now] = [EMPTY, today('10:00:00')]
        const totalSince = (since: number) => entries.reduce((sum, { at, n }) => (at > since ? sum + n : sum), 0)
        for (const [pause, n] of all) {
          now += Math.floor(pause * windowMs)
          const asked = { n: BigInt(n), max: BigInt(most), windowMs }
          if (isOver(view, asked, now)) {
            expect(totalSince(now - windowMs - windowMs / 48 - 1_001) + n).toBeGreaterThan(most)
            const free = fitsAt(view, asked)
            if (free === undefined) expect(n).toBeGreaterThan(most)
            else
              expect([free > now, isOver(view, asked, free - 1), isOver(view, asked, free)]).toEqual([
                true,
                true,
                false,
              ])
          } else {
            expect(totalSince(now - windowMs) + n).toBeLessThanOrEqual(most)
            view = added(view, asked, now)
            entries.push({ at: now, n })
          }
          expect(view.marks.size).toBeLessThanOrEqual(51)
        }
      }),
      runs(300),
    )
  })
})

test('the smallest mark counts, and not the oldest, because clocks that lag write marks out of order', () => {
  const view: View = {
    t: 9n,
    e: 0n,
    marks: new Map([
      [bucketAt(HOUR, today('10:00:00')), 5n],
      [bucketAt(HOUR, today('10:02:00')), 3n],
    ]),
  }

  expect(baseOf(view, HOUR, today('10:30:00'))).toBe(3n)
})
