import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView, paginate } from '../../shared/base/wire/pagination.ts'
import { CALENDAR_PREFIX, calendars, policiesOf } from '../../shared/govern/governance/stored-rules.ts'
import { CalendarView, calendarView } from '../../shared/govern/policies/calendar-view.ts'
import { security } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(CalendarView) }

export const handler = endpoint(security.listCalendars, shapes, async ({ query, ctx }) => {
  const page = await paginate(ctx, 'security-list-calendars', query, {
    of: calendars,
    descending: false,
    groups: [{ name: 'calendars', partitions: [policiesOf(ctx.space).pk] }],
    from: CALENDAR_PREFIX,
    to: `${CALENDAR_PREFIX}~`,
  })
  return { ...page, items: page.items.map((calendar) => calendarView(calendar, ctx.now())) }
})
