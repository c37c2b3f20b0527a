// The periods to which usage is counted: a paid one, month by month where it is longer, else the UTC month.
import type { Context } from '../../base/context.ts'
import { mainSubscription } from '../billing/read-billing.ts'
import { allSubscriptions, LIVE, type Subscription } from '../billing/subscription.ts'

/** A period to which usage is counted: from an instant to another (ms), the latter excluded. */
export type Period = { start: number; end: number }

async function paying(ctx: Context): Promise<Subscription | undefined> {
  const main = mainSubscription(await allSubscriptions(ctx))
  return main && LIVE.includes(main.status) && Date.parse(main.current_period_start) <= ctx.now() ? main : undefined
}

/** The paid period, else the UTC month. */
export const periodOf = async (ctx: Context): Promise<Period> => runningPeriod(await paying(ctx), ctx.now())

/** The running period, after the one before it, of which hours may still be owed. */
export const owedPeriods = async (ctx: Context): Promise<Period[]> => owedOf(await paying(ctx), ctx.now())

type Paid = Pick<Subscription, 'current_period_start' | 'current_period_end' | 'previous_period_start'>

export function owedOf(main: Paid | undefined, now: number): Period[] {
  const running = runningPeriod(main, now)
  if (!main) return [running]
  const start = startBefore(main, running)
  const end = running.start
  // Over, and the provider has not reported the next one yet.
  if (start < end) return [{ start, end }, running]
  const { previous_period_start: before } = main
  if (before === undefined) return [running]
  const from = Date.parse(before)
  return [{ start: end - from > LONGEST_MONTH_MS ? Math.max(from, monthsAfter(end, -1)) : from, end }, running]
}

/** A month of a longer period, else the whole of it: where what came before the running one began, in the same period. */
function startBefore(main: Paid, running: Period): number {
  const start = Date.parse(main.current_period_start)
  return isLong(main) && running.start > start ? monthsAfter(start, monthsUntil(start, running.start) - 1) : start
}

/** Quotas are of a month: a period of a quarter or a year is counted month by month, from its first day on. */
const LONGEST_MONTH_MS = 32 * 86_400_000
const isLong = ({ current_period_start, current_period_end }: Paid): boolean =>
  Date.parse(current_period_end) - Date.parse(current_period_start) > LONGEST_MONTH_MS

/** The same day so many months later, or the last of that month. */
function monthsAfter(start: number, months: number): number {
  const from = new Date(start)
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + months]
  const day = Math.min(from.getUTCDate(), new Date(Date.UTC(year, month + 1, 0)).getUTCDate())
  return Date.UTC(year, month, day) + (start % 86_400_000)
}

/** Whole months between two instants. */
function monthsUntil(start: number, until: number): number {
  const [from, to] = [new Date(start), new Date(until)]
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
  return monthsAfter(start, months) > until ? months - 1 : months
}

/** A period that is over is followed by one of its length until the provider reports the next. */
function runningPeriod(main: Paid | undefined, now: number): Period {
  if (!main) return monthOf(now)
  let [start, end] = [Date.parse(main.current_period_start), Date.parse(main.current_period_end)]
  if (isLong(main)) {
    const months = monthsUntil(start, now)
    return { start: monthsAfter(start, months), end: monthsAfter(start, months + 1) }
  }
  const length = end - start
  if (length <= 0) return monthOf(now)
  while (end <= now) [start, end] = [end, end + length]
  return { start, end }
}

function monthOf(at: number): Period {
  const now = new Date(at)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
}
