import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { conditionProblems } from '../../../../shared/govern/governance/conditions/problems.ts'
import { type Hours, localTime, withinTest } from '../../../../shared/govern/governance/conditions/hours.ts'

const OFFICE: Hours = { zone: 'Europe/Berlin', days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }
const CALENDARS = new Map([
  ['de', new Set(['2026-12-25'])],
  ['sales', new Set(['2026-11-28'])],
])
const isWithin = (hours: Partial<Hours>, at: string) => withinTest({ ...OFFICE, ...hours }, CALENDARS)(Date.parse(at))

describe('local times', () => {
  test.each([
    ['2026-03-29T00:59:59Z', '2026-03-29', 119],
    ['2026-03-29T01:00:00Z', '2026-03-29', 180],
    ['2026-10-25T00:59:59Z', '2026-10-25', 179],
    ['2026-10-25T01:00:00Z', '2026-10-25', 120],
  ])('of %s in Berlin, where clocks change, is on %s in minute %i', (at, date, minute) => {
    expect(localTime('Europe/Berlin', Date.parse(at))).toMatchObject({ minute, today: { date, weekday: 7 } })
  })

  test('agree with Temporal in each quarter of an hour of two years in five zones', () => {
    const zones = ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Africa/Casablanca']
    const [from, quarters] = [Date.parse('2026-01-01T00:00:00Z'), 2 * 365 * 96]
    // Temporal is slow: it is asked once a day, and in each quarter of those days in which the offset changes.
    const script = `
      const offset = (zone, at) =>
        Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6
      const all = ${JSON.stringify(zones)}.map((zone) => {
        const changes = [[${from}, offset(zone, ${from})]]
        for (let day = ${from}; day < ${from + quarters * 900_000}; day += 864e5) {
          if (offset(zone, day + 864e5) === changes.at(-1)[1]) continue
          for (let at = day; at <= day + 864e5; at += 9e5) {
            const now = offset(zone, at)
            if (now !== changes.at(-1)[1]) changes.push([at, now])
          }
        }
        return changes
      })
      console.log(JSON.stringify(all))`
    const flags = ['--harmony-temporal', '-e', script]
    const expected: [number, number][][] = JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' }))
    const differing: string[] = []
    for (const [index, zone] of zones.entries()) {
      const changes = expected[index] ?? []
      let next = 0
      let offset = 0
      for (let quarter = 0; quarter < quarters; quarter += 1) {
        const at = from + quarter * 900_000
        while (next < changes.length && (changes[next]?.[0] ?? 0) <= at) offset = changes[next++]?.[1] ?? 0
        if (localTime(zone, at).minute !== ((at + offset) / 60_000) % 1_440) differing.push(`${zone} ${at}`)
      }
    }

    expect(expected.map((changes) => changes.length)).toEqual([5, 5, 5, 1, 4])
    expect(differing).toEqual([])
  })
})

describe('hours', () => {
  test.each([
    ['2026-11-24T06:59:59Z', false],
    ['2026-11-24T07:00:00Z', true],
    ['2026-11-24T16:59:59Z', true],
    ['2026-11-24T17:00:00Z', false],
    ['2026-11-28T10:00:00Z', false],
  ])('in the office, %s is within: %s', (at, expected) => {
    expect(isWithin({}, at)).toBe(expected)
  })

  test.each([
    ['2026-11-27T21:00:00Z', true],
    ['2026-11-28T04:59:00Z', true],
    ['2026-11-28T05:00:00Z', false],
    ['2026-11-28T21:00:00Z', false],
    ['2026-11-23T04:00:00Z', false],
  ])('of a night belong to the day on which it began: %s is within: %s', (at, expected) => {
    expect(isWithin({ from: '22:00', to: '06:00' }, at)).toBe(expected)
  })

  test('may last until midnight', () => {
    expect(isWithin({ to: '24:00' }, '2026-11-24T22:59:59Z')).toBe(true)
    expect(isWithin({ to: '24:00' }, '2026-11-24T23:00:00Z')).toBe(false)
  })

  test('leave out the dates of a calendar, and add those of another', () => {
    expect(isWithin({}, '2026-12-25T10:00:00Z')).toBe(true)
    expect(isWithin({ except: ['de'] }, '2026-12-25T10:00:00Z')).toBe(false)
    expect(isWithin({ only: ['sales'] }, '2026-11-28T10:00:00Z')).toBe(true)
    expect(isWithin({ days: [], only: ['sales'] }, '2026-11-24T10:00:00Z')).toBe(false)
  })

  test('are unknown with a calendar that does not exist', () => {
    expect(isWithin({ except: ['fr'] }, '2026-11-24T10:00:00Z')).toBeUndefined()
  })
})

describe('hours in a condition', () => {
  const problemsOf = (hours: unknown) =>
    [...conditionProblems({ field: 'request.time', op: 'within', value: hours })].map(({ path }) => path.join('.'))

  test('may be in any zone', () => {
    expect(problemsOf(OFFICE)).toEqual([])
    expect(problemsOf({ ...OFFICE, zone: 'UTC', to: '24:00', except: ['de'], only: ['sales'] })).toEqual([])
  })

  test.each([
    ['the zone', { ...OFFICE, zone: 'Berlin' }, 'value.zone'],
    ['no zone', { ...OFFICE, zone: undefined }, 'value.zone'],
    ['a weekday', { ...OFFICE, days: [0] }, 'value.days'],
    ['a day twice', { ...OFFICE, days: [1, 1] }, 'value.days'],
    ['no day', { ...OFFICE, days: [] }, 'value.days'],
    ['the start', { ...OFFICE, from: '24:00' }, 'value.from'],
    ['equal times', { ...OFFICE, to: '08:00' }, 'value.to'],
    ['a calendar', { ...OFFICE, except: ['A B'] }, 'value.except'],
    ['an unknown member', { ...OFFICE, holidays: [] }, 'value.holidays'],
    ['a text', '08:00-18:00', 'value'],
  ])('are refused for %s', (_, hours, path) => {
    expect(problemsOf(hours)).toEqual([path])
  })
})
