import * as z from 'zod'
import { endWarnings } from '../governance/policy-time.ts'
import type { StoredCalendar } from '../governance/stored-calendar.ts'

export const CalendarView = z.object({
  name: z.string(),
  version: z.int(),
  dates: z.array(z.string()),
  note: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  updated_by: z.object({ type: z.string(), id: z.string() }),
  warnings: z.array(z.string()),
})

export const calendarView = (calendar: StoredCalendar, now: number) => ({
  ...calendar,
  warnings: endWarnings(calendar.name, calendar.dates, now),
})
