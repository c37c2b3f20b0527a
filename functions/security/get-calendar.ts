import { tagged } from '../../shared/base/wire/etag.ts'
import { notFound } from '../../shared/base/lib/failure.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { calendars, isCalendarName } from '../../shared/govern/governance/stored-rules.ts'
import { CalendarView, calendarView } from '../../shared/govern/policies/calendar-view.ts'
import { security } from './routes.ts'

export const shapes = { response: CalendarView, versioned: true }

export const handler = endpoint(security.getCalendar, shapes, async ({ params: { name }, ctx }) => {
  const calendar = isCalendarName(name) ? await ctx.table.get(calendars, { ...ctx.space, name }) : undefined
  if (!calendar) throw notFound('calendar')
  return tagged(calendarView(calendar, ctx.now()), calendar.version)
})
