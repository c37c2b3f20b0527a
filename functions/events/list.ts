import * as z from 'zod'
import { EventItem, pullEvents, Types } from '../../shared/ledger/events/pull.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery } from '../../shared/base/wire/pagination.ts'
import { events } from './routes.ts'

export const shapes = {
  query: ListQuery.omit({ offset: true }).extend({
    types: Types.optional(),
    from: z
      .literal('now')
      .optional()
      .describe('`now`: no events before this request. The answer has the cursor to continue with.'),
  }),
  response: z.object({
    items: z.array(EventItem).describe('The items of this page.'),
    total: z.int().describe('The total number of items.'),
    next_cursor: z.string().describe('Send this value as `cursor` to get the next page.'),
    has_more: z.boolean().describe('Whether there are more items.'),
  }),
}

export const handler = endpoint(events.list, shapes, ({ query, ctx }) => pullEvents(ctx, query))
