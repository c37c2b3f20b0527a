import { tagged } from '../../shared/base/wire/etag.ts'
import { notFound } from '../../shared/base/lib/failure.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { isCalendarName } from '../../shared/govern/governance/stored-calendar.ts'
import { CalendarBody, saveCalendar } from '../../shared/govern/policies/calendars.ts'
import { CalendarView, calendarView } from '../../shared/govern/policies/calendar-view.ts'
import { security } from './routes.ts'

export const shapes = { body: CalendarBody, response: CalendarView, versioned: true }

/** Creates a calendar or replaces its dates. */
export const handler = endpoint(security.saveCalendar, shapes, async ({ params: { name }, body, version, ctx }) => {
  if (!isCalendarName(name)) throw notFound('calendar')
  const { calendar, created } = await saveCalendar(ctx, name, { ...body, version })
  return tagged(calendarView(calendar, ctx.now()), calendar.version, created ? 201 : 200)
})
