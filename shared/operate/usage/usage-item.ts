// What a space has used in an hour.
import * as z from 'zod'
import { iso } from '../../base/lib/clock.ts'
import type { Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import type { SumItem } from '../../ledger/fold/sums.ts'

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

export const UsageHour = z.object({
  sk: z.string(),
  requests: count,
  executions: count,
  tokens_input: count,
  tokens_output: count,
  /** Of the two: what no target has reported. */
  tokens_estimated: count,
  /** What payloads and answers have added. */
  storage_bytes: count,
})
export type UsageHour = z.output<typeof UsageHour>

export const usagePartition = (space: Space): string => spaceKey(space, 'METER')

/** `2026-11-23T21` */
export const hourOf = (at: number): string => iso(at).slice(0, 13)

const TYPE = 'USAGE'

export const usageHours = entity({
  name: TYPE,
  schema: UsageHour,
  key: (of: Space & { hour: string }) => ({ pk: usagePartition(of), sk: `H#${of.hour}` }),
})

export const usageItemOf = (space: Space, hour: string): SumItem => ({
  ...usageHours.key({ ...space, hour }),
  type: TYPE,
})
