// What a tenant has used in the running period, compared with its quotas.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { PLAN_FACTS, type Quotas, quotasOf, UNLIMITED } from '../../base/limits/plans.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { positionOf } from '../../ledger/fold/folder.ts'
import {
  dayKey,
  hourKey,
  type Meter,
  METERS,
  TOTAL,
  usagePartition,
  type UsageSums,
  usageSums,
} from '../../ledger/usage/usage-item.ts'
import { entity } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { type Period, periodOf } from './period.ts'

const figure = z.int()
const Volume = z.object({
  used: figure.describe('The number used.'),
  limit: figure.nullable().describe('What the plan includes; null: no limit.'),
  percent: z.number().nullable().describe('Of the limit; null where there is none.'),
})

export const UsageView = z.object({
  period: z
    .object({
      start_at: z.string().describe('The beginning of the window.'),
      end_at: z.string().describe('The end of the window, exclusive.'),
    })
    .describe('The paid period, or the month in UTC.'),
  environment: z.enum(['live', 'test']).describe('The mode of the data.'),
  requests: Volume.describe('Requests that were accepted.'),
  executions: Volume.describe('Actions that have succeeded.'),
  tokens: Volume.extend({
    input: figure.describe('What was sent to models.'),
    output: figure.describe('What models wrote.'),
    estimated_share: z.number().describe('From 0 to 1: how much of it no target has reported.'),
  }).describe('Tokens that targets report; where they report none, about a quarter of the bytes.'),
  /** The part of it that is files, as they were last listed. */
  storage: Volume.extend({
    in_files: figure.describe(
      'Bytes of files: exports, datasets, models, documents, evidence that was handed in. Listed once a day.',
    ),
    files_counted_at: z.string().nullable().describe('When the files were listed; null before the first time.'),
  }).describe('Bytes of payloads, answers, copied records and files.'),
  by_day: z
    .array(
      z.object({
        date: z.string().describe('The day in UTC.'),
        requests: figure.describe('Requests that were accepted.'),
        executions: figure.describe('Actions that have succeeded.'),
        tokens: figure.describe('Tokens, reported and estimated.'),
        storage_bytes: figure.describe(
          'Bytes that payloads, answers and copied records have added, less what was erased.',
        ),
      }),
    )
    .describe('The same by day.'),
  /** Percentages of a quota that were reached. */
  thresholds: z
    .array(z.object({ meter: z.string().describe('What is counted.'), percent: figure.describe('Of the quota.') }))
    .describe('Percentages of a quota that were reached.'),
  counted_at: z.string().describe('Until when everything is counted.'),
})
export type UsageView = z.input<typeof UsageView>

export const THRESHOLDS = [50, 80, 90, 100, 120] as const

type Totals = Record<Meter, number>
const nothing = (): Totals => Object.fromEntries(METERS.map((meter) => [meter, 0])) as Totals

/** By day, and together. Storage is what there is. The day in which the period begins is read by its hours. */
export async function usedIn(ctx: Context, period: Period) {
  const days = new Map<string, Totals>()
  const total = nothing()
  const [sums, ever, files] = await Promise.all([
    sumsIn(ctx, period),
    ctx.table.get(usageSums, { ...ctx.space, sk: TOTAL }),
    ctx.table.get(fileSums, ctx.space),
  ])
  for (const { sk, ...more } of sums) {
    const date = sk.slice(2, 12)
    const day = days.get(date) ?? nothing()
    days.set(date, day)
    for (const meter of METERS) {
      day[meter] += more[meter]
      total[meter] += more[meter]
    }
  }
  const storage_bytes = Math.max(0, ever?.storage_bytes ?? 0) + (files?.bytes ?? 0)
  return { total: { ...total, storage_bytes }, days, files }
}

async function sumsIn({ table, space }: Context, { start, end }: Period): Promise<UsageSums[]> {
  const pk = usagePartition(space)
  const midnight = Math.ceil(start / DAY_MS) * DAY_MS
  const between = (from: string, to: string) => table.query(usageSums, { pk, from, to })
  const [hours, days] = await Promise.all([
    midnight === start ? [] : between(hourKey(iso(start).slice(0, 13)), hourKey(`${iso(start).slice(0, 10)}T23`)),
    between(dayKey(iso(midnight).slice(0, 10)), dayKey(iso(end - 1).slice(0, 10))),
  ])
  return [...hours, ...days]
}

/** The meters that have a quota. */
export const METERED = ['executions', 'tokens', 'storage_bytes'] as const satisfies readonly (keyof Quotas)[]

export const usedOf = (total: Totals): Record<(typeof METERED)[number], number> => ({
  executions: total.executions,
  tokens: total.tokens_input + total.tokens_output,
  storage_bytes: total.storage_bytes,
})

export async function readUsage(ctx: Context): Promise<UsageView> {
  const [tenant, period, position] = await Promise.all([
    freshTenant(ctx.table, ctx.space.tenant_id),
    periodOf(ctx),
    positionOf(ctx, 'usage'),
  ])
  const { total, days, files } = await usedIn(ctx, period)
  const quotas = quotasOf(tenant)
  const { perDay } = PLAN_FACTS[tenant.plan]
  const used = usedOf(total)
  const until = position.state['until']
  return {
    period: { start_at: iso(period.start), end_at: iso(period.end) },
    environment: ctx.space.mode,
    requests: volume(total.requests, perDay === UNLIMITED ? null : perDay * daysIn(period)),
    executions: volume(used.executions, quotas.executions),
    tokens: {
      ...volume(used.tokens, quotas.tokens),
      input: total.tokens_input,
      output: total.tokens_output,
      estimated_share: used.tokens === 0 ? 0 : total.tokens_estimated / used.tokens,
    },
    storage: {
      ...volume(used.storage_bytes, quotas.storage_bytes),
      in_files: files?.bytes ?? 0,
      files_counted_at: files?.counted_at ?? null,
    },
    by_day: [...days].map(([date, day]) => ({
      date,
      requests: day.requests,
      executions: day.executions,
      tokens: day.tokens_input + day.tokens_output,
      storage_bytes: day.storage_bytes,
    })),
    thresholds: reached(ctx.space, used, quotas),
    counted_at: iso(typeof until === 'number' ? until : 0),
  }
}

const daysIn = ({ start, end }: Period): number => Math.round((end - start) / 86_400_000)

const volume = (used: number, limit: number | null) => ({
  used,
  limit,
  percent: limit === null ? null : Math.floor((used * 1_000) / limit) / 10,
})

/** The sandbox has no quota. */
function reached({ mode }: Space, used: Record<(typeof METERED)[number], number>, quotas: Quotas) {
  if (mode === 'test') return []
  return METERED.flatMap((meter) => {
    const limit = quotas[meter]
    if (limit === null) return []
    return THRESHOLDS.filter((percent) => used[meter] * 100 >= percent * limit).map((percent) => ({ meter, percent }))
  })
}

/** The files of a space in the bucket, as they were last listed. */
const FileSums = z.object({
  ...spaceMembers,
  /** Absent before the first count has ended. */
  bytes: z.int().default(0),
  counted_at: z.string().optional(),
  /** A count that is under way: index of the kind, and the name behind which it goes on. */
  at: z.object({ kind: z.int(), after: z.string().optional(), bytes: z.int(), began_at: z.string() }).optional(),
})
export type FileSums = z.output<typeof FileSums>

export const fileSums = entity({
  name: 'FILES',
  unbound: 'bounded',
  schema: FileSums,
  key: (of: Space) => ({ pk: usagePartition(of), sk: 'FILES' }),
})
