// Calendars: named lists of dates, such as holidays, that the working hours of policies name.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { Calendars } from './hours.ts'

export const CALENDARS_MAX = 20
export const CALENDAR_NAME = /^[a-z0-9_-]{1,40}$/

export const isCalendarName = (name: unknown): boolean => typeof name === 'string' && CALENDAR_NAME.test(name)

export const CALENDAR_PREFIX = 'calendar#'

export const StoredCalendar = z.object({
  ...spaceMembers,
  name: z.string(),
  version: z.int(),
  /** `yyyy-mm-dd`, in order. */
  dates: z.array(z.string()),
  note: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  updated_by: z.object({ type: z.string(), id: z.string() }),
})
export type StoredCalendar = z.output<typeof StoredCalendar>

/** In the partition of the policies, because they are read together. */
export const calendars = entity({
  name: 'CALENDAR',
  unbound: 'proven by itself',
  schema: StoredCalendar,
  key: (of: Space & { name: string }) => ({ pk: spaceKey(of, 'POLICY'), sk: `${CALENDAR_PREFIX}${of.name}` }),
})

/** The dates of each, for conditions. */
export const datesOf = (all: readonly StoredCalendar[]): Calendars =>
  new Map(all.map(({ name, dates }) => [name, new Set(dates)]))
