import * as z from 'zod'
import { EventItem, pullEvents, Types } from '../../shared/ledger/events/pull.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery } from '../../shared/base/wire/pagination.ts'
import { events } from './routes.ts'

export const shapes = {
  query: ListQuery.omit({ offset: true }).extend({ types: Types.optional(), from: z.literal('now').optional() }),
  response: z.object({ items: z.array(EventItem), total: z.int(), next_cursor: z.string(), has_more: z.boolean() }),
}

export const handler = endpoint(events.list, shapes, ({ query, ctx }) => pullEvents(ctx, query))
