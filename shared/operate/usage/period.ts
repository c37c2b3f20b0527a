// The periods to which usage is counted.
import type { Context } from '../../base/context.ts'
import { allSubscriptions, LIVE, type Subscription } from '../billing/subscription.ts'
import { mainSubscription } from '../billing/read-billing.ts'

/** From an instant to another (ms), the latter excluded. */
export type Period = { start: number; end: number }

async function paying(ctx: Context): Promise<Subscription | undefined> {
  const main = mainSubscription(await allSubscriptions(ctx))
  return main && LIVE.includes(main.status) && Date.parse(main.current_period_start) <= ctx.now() ? main : undefined
}

/** The paid period, else the UTC month. */
export const periodOf = async (ctx: Context): Promise<Period> => runningPeriod(await paying(ctx), ctx.now())

/** The running period, after the one before it, of which hours may still be owed. */
export async function owedPeriods(ctx: Context): Promise<Period[]> {
  const main = await paying(ctx)
  const running = runningPeriod(main, ctx.now())
  if (!main) return [running]
  const [start, end] = [Date.parse(main.current_period_start), running.start]
  // Over, and the provider has not told the next one yet.
  if (start < end) return [{ start, end }, running]
  const { previous_period_start: before } = main
  return before === undefined ? [running] : [{ start: Date.parse(before), end }, running]
}

/** A period that is over is followed by one of its length until the provider tells. */
function runningPeriod(main: Subscription | undefined, now: number): Period {
  if (!main) return monthOf(now)
  let [start, end] = [Date.parse(main.current_period_start), Date.parse(main.current_period_end)]
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
