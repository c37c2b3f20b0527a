import '../effects.ts'
import * as z from 'zod'
import { tagged } from '../../shared/base/wire/etag.ts'
import { notFound } from '../../shared/base/lib/failure.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { isCalendarName } from '../../shared/govern/governance/stored-rules.ts'
import { CalendarBody } from '../../shared/govern/policies/calendars.ts'
import { saveCalendar } from '../../shared/govern/policies/save.ts'
import { CalendarView, calendarView } from '../../shared/govern/policies/calendar-view.ts'
import { isWaiting, WaitingChange, waitingResponse } from '../../shared/govern/protocol/loosen.ts'
import { security } from './routes.ts'

export const shapes = { body: CalendarBody, response: z.union([CalendarView, WaitingChange]), versioned: true }

/** Creates a calendar or replaces its dates. */
export const handler = endpoint(security.saveCalendar, shapes, async ({ params: { name }, body, version, ctx }) => {
  if (!isCalendarName(name)) throw notFound('calendar')
  const made = await saveCalendar(ctx, name, { ...body, version })
  if (isWaiting(made)) return waitingResponse(made)
  const { calendar, created } = made
  return tagged(calendarView(calendar, ctx.now()), calendar.version, created ? 201 : 200)
})
