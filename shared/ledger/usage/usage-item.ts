// The usage of a space: sums of an hour, of a day, and of all time. The event log is counted for most of them; only stored
// bytes are counted in the transaction that stores or erases.
import * as z from 'zod'
import { iso } from '../../base/lib/clock.ts'
import type { Context, Space } from '../../base/context.ts'
import { entity, spaceKey, type Write } from '../../base/table/entity.ts'
import { type SumItem, Sums } from '../../base/kernel/count.ts'

/** The names are stored: they never change their meaning. */
export const METERS = [
  'requests',
  'executions',
  'tokens_input',
  'tokens_output',
  'tokens_estimated',
  'storage_bytes',
] as const
export type Meter = (typeof METERS)[number]

const count = z.int().default(0)

/** Of an hour (`H#2026-11-23T21`), of a day (`D#2026-11-23`), or ever (`TOTAL`). */
export const UsageSums = z.object({
  sk: z.string(),
  requests: count,
  executions: count,
  tokens_input: count,
  tokens_output: count,
  /** Of the two: what no target has reported. */
  tokens_estimated: count,
  /** Bytes of payloads, answers and copied records, less the erased ones. Files are counted apart. */
  storage_bytes: count,
})
export type UsageSums = z.output<typeof UsageSums>

export const usagePartition = (space: Space): string => spaceKey(space, 'METER')

/** `2026-11-23T21` */
export const hourOf = (at: number): string => iso(at).slice(0, 13)

const TYPE = 'USAGE'

export const usageSums = entity({
  name: TYPE,
  unbound: 'bounded',
  schema: UsageSums,
  key: (of: Space & { sk: string }) => ({ pk: usagePartition(of), sk: of.sk }),
})

export const hourKey = (hour: string): string => `H#${hour}`
export const dayKey = (day: string): string => `D#${day}`
export const TOTAL = 'TOTAL'

/** The items that an hour's usage is added to: its own, that of its day, and the total. */
export const usageItemsOf = (space: Space, hour: string): SumItem[] =>
  [hourKey(hour), dayKey(hour.slice(0, 10)), TOTAL].map((sk) => ({ ...usageSums.key({ ...space, sk }), type: TYPE }))

/** Counts stored bytes in the transaction that stores or erases them; negative for erased ones. At most three items. */
export function storageChange(ctx: Context, bytes: number): Write[] {
  const sums = new Sums()
  for (const item of usageItemsOf(ctx.space, hourOf(ctx.now()))) sums.add(item, 'storage_bytes', bytes)
  return sums.writes()
}
