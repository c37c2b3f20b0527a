import * as z from 'zod'
import { readableTypes, Types } from '../../shared/ledger/events/pull.ts'
import type { Envelope } from '../../shared/ledger/events/event.ts'
import { follow, OPENING, resetFrame, startAfter, takeSlot } from '../../shared/ledger/events/stream.ts'
import { HttpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ID } from '../../shared/base/wire/fields.ts'
import { streamed } from '../../shared/edge/streamed.ts'
import { streamsOf } from '../../shared/base/limits/plans.ts'
import { tenantOf } from '../../shared/base/tenant/find.ts'
import { events } from './routes.ts'

const POSITION = /^\d{1,12}$/

export const shapes = {
  query: z.object({
    types: Types.optional(),
    request_id: z
      .string()
      .regex(ID)
      .optional()
      .describe('Only of this execution.')
      .meta({ examples: ['exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R'] }),
    last_event_id: z
      .string()
      .max(200)
      .optional()
      .describe('The id of the last event that you received. The stream continues after it.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/event-stream' }),
}

const HEADERS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' }

/** All refusals happen here, before the first byte is sent. */
export const handler = streamed(
  endpoint(events.stream, shapes, async ({ query, headers, ctx, recheck = async () => {} }) => {
    const { types, request_id } = query
    const isReadable = readableTypes(ctx.principal, types)
    const last = lastSeen(headers['last-event-id'] || query.last_event_id)
    const start = await startAfter(ctx, last)
    const tenant = await tenantOf(ctx.table, ctx.space.tenant_id)
    const following = {
      after: start.after,
      isWanted: ({ type, data }: Envelope) => isReadable(type) && (!request_id || isAbout(request_id, data)),
      slot: await takeSlot(ctx, streamsOf(tenant), { resumes: last !== undefined }),
      recheck,
    }
    const opening = start.reset ? OPENING + resetFrame(start.after + 1) : OPENING
    return new HttpResponse(200, opening, { headers: HEADERS, follow: (sink) => follow(ctx, sink, following) })
  }),
)

const isAbout = (request_id: string, data: object) => 'request_id' in data && data.request_id === request_id

/**
 * The header wins: a browser that reconnects sends it, while its URL still names the first position. An id that this stream cannot
 * have given, such as one of another service behind the same address, is `unknown`: a reader that cannot change what it sends,
 * as browsers, would otherwise never get in again.
 */
function lastSeen(id: string | undefined): number | 'unknown' | undefined {
  if (id === undefined) return undefined
  return POSITION.test(id) ? Number(id) : 'unknown'
}
