// Error budgets and burn-rate alerts against figures computed by hand. An age is counted in minutes; 1 is the last measured one.
import { describe, expect, test } from 'vitest'
import { budgetOf, burning, burnRows, type CountsOver, DAY, statusOf } from '../../../../shared/operate/slos/budget.ts'

type Minute = { total: number; bad: number }

const over =
  (minuteAt: (age: number) => Minute): CountsOver =>
  (minutes) => {
    const sum = { total: 0, bad: 0 }
    for (let age = 1; age <= minutes; age += 1) {
      const { total, bad } = minuteAt(age)
      sum.total += total
      sum.bad += bad
    }
    return sum
  }

const every = (n: number, age: number) => (age % n === 0 ? 1 : 0)
const sixty = (badAt: (age: number) => number) => over((age) => ({ total: 60, bad: badAt(age) }))
const rare = (badAt: (age: number) => boolean) =>
  over((age) => {
    const total = age % 144 === 1 ? 1 : 0
    return { total, bad: total === 1 && badAt(age) ? 1 : 0 }
  })

const VECTORS = [
  {
    name: 'A: one bad event in a hundred minutes',
    objective: { target_percent: 99.9, window_minutes: 7 * DAY },
    counts: sixty((age) => every(100, age)),
    budget: { current_value: 99.9835, budget_consumed_percent: 16.53, projected_burn_rate: 0.162 },
    fires: [],
    status: 'healthy',
  },
  {
    name: 'B: a burst of seventy minutes',
    objective: { target_percent: 99.9, window_minutes: 7 * DAY },
    counts: sixty((age) => (age <= 70 ? 1 + every(5, age) : 0)),
    budget: { current_value: 99.9861, budget_consumed_percent: 13.89, projected_burn_rate: 0.972 },
    fires: [15, 90, 360, 1080],
    status: 'at_risk',
  },
  {
    name: 'C: a slow burn of 1,500 minutes',
    objective: { target_percent: 99.9, window_minutes: 7 * DAY },
    counts: sixty((age) => (age <= 1_500 && Math.floor(age * 0.21) > Math.floor((age - 1) * 0.21) ? 1 : 0)),
    budget: { current_value: 99.9479, budget_consumed_percent: 52.08, projected_burn_rate: 3.495 },
    fires: [360, 1080],
    status: 'at_risk',
  },
  {
    name: 'D: little traffic, two days of failures',
    objective: { target_percent: 99.9, window_minutes: 28 * DAY },
    counts: rare((age) => age <= 2_880),
    budget: { current_value: 92.8571, budget_consumed_percent: 7142.86, projected_burn_rate: 500 },
    fires: [1_440, 4_320],
    status: 'breached',
  },
  {
    name: 'E: little traffic, one failure',
    objective: { target_percent: 99.9, window_minutes: 28 * DAY },
    counts: rare((age) => age === 1),
    budget: { current_value: 99.6429, budget_consumed_percent: 357.14, projected_burn_rate: 25 },
    fires: [],
    status: 'breached',
  },
  {
    name: 'F: a low target, everything fails for seventy minutes',
    objective: { target_percent: 90, window_minutes: 28 * DAY },
    counts: over((age) => ({ total: 10, bad: age <= 70 ? 10 : 0 })),
    budget: { current_value: 99.8264, budget_consumed_percent: 1.74, projected_burn_rate: 0.1215 },
    fires: [60],
    status: 'at_risk',
  },
]

describe.each(VECTORS)('$name', ({ objective, counts, budget: expected, fires, status }) => {
  const budget = budgetOf(objective, counts)
  const rows = burning(objective, counts)

  test('the budget is used up as far as the figures say', () => {
    expect(budget.current_value).toBe(expected.current_value)
    expect(budget.budget_consumed_percent).toBeCloseTo(expected.budget_consumed_percent, 2)
    expect(budget.budget_remaining_percent).toBeCloseTo(100 - expected.budget_consumed_percent, 2)
    expect(budget.projected_burn_rate).toBeCloseTo(expected.projected_burn_rate, 3)
  })

  test('those rows fire whose both windows burn fast enough', () => {
    expect(rows.map(({ long }) => long)).toEqual(fires)
  })

  test('the status is the first that holds', () => {
    expect(statusOf(budget, { min_events: 100, burning: rows.length > 0 })).toBe(status)
  })
})

test.each([
  { days: 1, spans: ['15/5', '15/5', '51/5', '154/13'] },
  { days: 7, spans: ['15/5', '90/8', '360/30', '1080/90'] },
  { days: 28, spans: ['60/5', '360/30', '1440/120', '4320/360'] },
  { days: 30, spans: ['64/5', '386/32', '1543/129', '4629/386'] },
])('the rows of a window of $days days keep their proportions', ({ days, spans }) => {
  expect(burnRows(days * DAY).map(({ long, short }) => `${long}/${short}`)).toEqual(spans)
})

describe('the status at its borders', () => {
  const budgetWith = (remaining: number, rate = 0, total = 100) => ({
    ...budgetOf({ target_percent: 99, window_minutes: DAY }, () => ({ total, bad: 0 })),
    budget_remaining_percent: remaining,
    projected_burn_rate: rate,
  })
  const calm = { min_events: 100, burning: false }

  test.each([
    { what: 'nothing remains', budget: budgetWith(0), status: 'breached' },
    { what: 'a quarter remains', budget: budgetWith(25), status: 'at_risk' },
    { what: 'more than a quarter remains', budget: budgetWith(25.0001), status: 'healthy' },
    { what: 'less than half remains and burns fast', budget: budgetWith(49.9999, 1.0001), status: 'at_risk' },
    { what: 'less than half remains and burns at the allowed rate', budget: budgetWith(49.9999, 1), status: 'healthy' },
    { what: 'half remains and burns fast', budget: budgetWith(50, 2), status: 'healthy' },
    { what: 'there are too few events', budget: budgetWith(-10, 0, 99), status: 'no_data' },
  ])('$status when $what', ({ budget, status }) => {
    expect(statusOf(budget, calm)).toBe(status)
  })
})

test('one more bad event never leaves more of the budget', () => {
  const remaining = Array.from({ length: 200 }, (_, bad) =>
    budgetOf({ target_percent: 99.9, window_minutes: 7 * DAY }, () => ({ total: 10_000, bad })),
  ).map(({ budget_remaining_percent }) => budget_remaining_percent)

  expect(remaining).toEqual(remaining.toSorted((a, b) => b - a))
})

test('without events nothing is known and nothing is used up', () => {
  const budget = budgetOf({ target_percent: 99.9, window_minutes: DAY }, () => ({ total: 0, bad: 0 }))

  expect(budget).toMatchObject({ current_value: null, budget_consumed_percent: 0, projected_burn_rate: 0 })
  expect(budget.minutes_to_exhaustion).toBeNull()
})

test('what remains lasts so much longer as it burns more slowly', () => {
  const counts: CountsOver = (minutes) => ({ total: minutes, bad: minutes / 2_000 })
  const { minutes_to_exhaustion } = budgetOf({ target_percent: 99.9, window_minutes: 28 * DAY }, counts)

  expect(minutes_to_exhaustion).toBeCloseTo(28 * DAY, 6) // half is left and burns at half the allowed rate
})
