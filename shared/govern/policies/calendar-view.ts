// What the API shows of a calendar.
import * as z from 'zod'
import { endWarnings } from '../governance/checks/hours-problems.ts'
import type { StoredCalendar } from '../governance/stored-rules.ts'

export const CalendarView = z.object({
  name: z.string().describe('A name for people.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
  dates: z.array(z.string()).describe('Dates, as `yyyy-mm-dd`.'),
  note: z.string().optional().describe('A note for people.'),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  updated_by: z
    .object({ type: z.string().describe('What kind of caller it is.'), id: z.string().describe('Id of the caller.') })
    .describe('The caller that last changed it.'),
  warnings: z.array(z.string()).describe('Effects that the author may not have intended.'),
})

export const calendarView = (calendar: StoredCalendar, now: number) => ({
  ...calendar,
  warnings: endWarnings(calendar.name, calendar.dates, now),
})
