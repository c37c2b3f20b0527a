// The latest result of each check, and its status on each day. Days are kept for ever, because the status of today does not answer
// whether something held from May to October.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, spaceKey, type Stored } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { CHECK_STATUSES, type CheckStatus, Finding } from './check.ts'
import { daysBetween } from '../../base/lib/days.ts'

export const CheckResult = z.object({
  ...spaceMembers,
  ...Finding.shape,
  check_id: z.string(),
  /** Of the check's rule. */
  version: z.int(),
  run_id: z.string(),
  evaluated_at: z.string(),
  /** The status before the last change of it. */
  previous_status: z.enum(CHECK_STATUSES).optional(),
  changed_at: z.string(),
})
export type CheckResult = z.output<typeof CheckResult>

/** Frameworks, controls, results and open violations of a space, read together. */
export const compliancePartition = (space: Space): string => spaceKey(space, 'COMPLIANCE')

export const checkResults = entity({
  name: 'CHECK_RESULT',
  unbound: 'bounded',
  schema: CheckResult,
  key: (of: Space & { check_id: string }) => ({ pk: compliancePartition(of), sk: `CHK#${of.check_id}` }),
})

export const CheckDay = z.object({
  ...spaceMembers,
  /** `yyyy-mm-dd`, UTC. */
  date: z.string(),
  /** By check, as `merged` has it of all runs of the day. */
  statuses: z.record(z.string(), z.enum(CHECK_STATUSES)),
})
export type CheckDay = z.output<typeof CheckDay>

export const checkDays = entity({
  name: 'CHECK_DAY',
  unbound: 'bounded',
  schema: CheckDay,
  key: (of: Space & { date: string }) => ({ pk: yearOf(of, of.date.slice(0, 4)), sk: of.date.slice(5) }),
})

const yearOf = (space: Space, year: string): string => spaceKey(space, 'CHKDAYS', year)

/** The worst status that a run has found is that of the day: the first of these. */
const ORDER: readonly CheckStatus[] = ['fail', 'error', 'pass', 'no_data', 'not_applicable']

export const merged = (was: CheckStatus | undefined, status: CheckStatus): CheckStatus =>
  was !== undefined && ORDER.indexOf(was) < ORDER.indexOf(status) ? was : status

type Found = { check_id: string; status: CheckStatus; evaluated_at: string }

/** The days of these results with them in it. */
export async function withResults(
  { table, space }: Context,
  results: readonly Found[],
): Promise<{ was: Stored<CheckDay> | undefined; day: CheckDay }[]> {
  const byDate = Map.groupBy(results, ({ evaluated_at }) => evaluated_at.slice(0, 10))
  return Promise.all(
    [...byDate].map(async ([date, found]) => {
      const was = await table.get(checkDays, { ...space, date })
      const statuses = { ...was?.statuses }
      for (const { check_id, status } of found) statuses[check_id] = merged(statuses[check_id], status)
      const { tenant_id, mode } = space
      return { was, day: { tenant_id, mode, date, statuses } }
    }),
  )
}

export const DAY_STATUSES = [...CHECK_STATUSES, 'no_run'] as const
export type DayStatus = (typeof DAY_STATUSES)[number]

/** The status of each check on one UTC day (`yyyy-mm-dd`). */
export type StatusesOnDay = { date: string; statusOf: (check_id: string) => DayStatus }

/** The UTC days from one instant (ms) to another, both included, oldest first. A day of which only a part is asked for is whole. */
export async function daysOf({ table, space }: Context, from: number, to: number): Promise<StatusesOnDay[]> {
  const dates = daysBetween(from, to)
  const years = Map.groupBy(dates, (date) => date.slice(0, 4))
  const pages = await Promise.all(
    [...years].map(([year, some]) =>
      table.query(checkDays, { pk: yearOf(space, year), from: some[0]?.slice(5), to: some.at(-1)?.slice(5) }),
    ),
  )
  const found = new Map(pages.flat().map((day) => [day.date, day.statuses]))
  return dates.map((date) => ({ date, statusOf: (check_id) => found.get(date)?.[check_id] ?? 'no_run' }))
}
