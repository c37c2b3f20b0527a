// Reads how much of a tenant's windows is used, without counting a request.
import type { Table } from '../table/table.ts'
import { UNLIMITED } from './plans.ts'
import type { DailyFigures } from './rates.ts'
import { DAY, lastMinute, placeOf, read } from './window.ts'

/** `reset` is the Unix second at which the window ends. */
export type Usage = { limit: number; used: number; remaining: number; reset: number }

export type Windows = { second: Usage; minute: Usage; day: Usage }

/** `pk` is the partition of the tenant's windows. An unlimited day has the limit `UNLIMITED`. */
export async function usageOf(table: Table, pk: string, figures: DailyFigures): Promise<Windows> {
  const now = table.clock.now()
  const { sk, second } = placeOf(now)
  const item = await lastMinute(table, pk, sk)
  const { d, m, s } = item.sk === sk ? read(item, second) : { d: Number(item.d ?? 0), m: 0, s: 0 }
  const at = Math.floor(now / 1_000)
  return {
    second: usage(figures.perSecond, s, at + 1),
    minute: usage(figures.perMinute, m, (Math.floor(at / 60) + 1) * 60),
    day: usage(figures.perDay, d, (Math.floor(at / DAY) + 1) * DAY),
  }
}

const usage = (limit: number, used: number, reset: number): Usage => ({
  limit,
  used,
  remaining: limit === UNLIMITED ? UNLIMITED : Math.max(0, limit - used),
  reset,
})
