// The event log as pages for polling readers: every event once and in order, and only the types that the reader may see.
import * as z from 'zod'
import type { Context, Principal } from '../../base/context.ts'
import { LIMIT_DEFAULT } from '../../base/wire/pagination.ts'
import { forbidden, malformed } from '../../base/lib/failure.ts'
import { type CursorScope, readCursor, writeCursor } from '../../base/wire/cursor.ts'
import {
  CATALOG,
  EVENT_TYPE_ALIASES,
  EVENT_TYPES,
  type EventCategory,
  type EventType,
  isEventType,
} from '../../base/catalog/event-types.ts'
import type { Envelope } from './event.ts'
import { eventsAfter, logHead, oldestRetained } from './log.ts'

/** Reads per page. With filters that match little, a page may be shorter than its limit. */
const READS_MAX = 10

/** A comma-separated list of event types. */
export const Types = z
  .string()
  .max(4_096)
  .transform((text) => text.split(',').map((name) => ALIASES.get(name) ?? name))
  .pipe(z.array(z.custom<EventType>((name) => typeof name === 'string' && isEventType(name))))
  .describe('Only these types, comma-separated; `prefix.*` stands for all that begin so.')
  .meta({ examples: ['action.*,policy.updated'] })
const ALIASES = new Map<string, string>(Object.entries(EVENT_TYPE_ALIASES))

/** An event in a page: the body of a delivery, without a signature. */
export const EventItem = z.object({
  id: z.string().describe('Id of the event. Use it to ignore repeated deliveries.'),
  type: z.enum(EVENT_TYPES).describe('The type of the event.'),
  timestamp: z.string().describe('When it happened.'),
  tenant_id: z.string().describe('Id of the tenant.'),
  version: z.string().describe('Version of the event format, a date.'),
  data: z.record(z.string(), z.unknown()).describe('The content of the event. Its members depend on the type.'),
  event: z.string().optional().describe('The type of the event.'),
})

type Input = {
  limit?: number | undefined
  cursor?: string | undefined
  types?: EventType[] | undefined
  from?: 'now' | undefined
}
type Page = { items: Envelope[]; total: number; next_cursor: string; has_more: boolean }

/** Throws 400 `invalid_cursor` when events after the cursor are no longer retained. */
export async function pullEvents(ctx: Context, { limit = LIMIT_DEFAULT, cursor, types, from }: Input): Promise<Page> {
  const isWanted = readableTypes(ctx.principal, types)
  const scope: CursorScope = { space: ctx.space, operation: 'events-list', filters: { types } }
  const [{ position: last }, at] = await Promise.all([logHead(ctx), cursor ? readPlace(scope, cursor) : undefined])
  const oldest = await oldestRetained(ctx, last, at?.oldest ?? 1)
  if (at && at.position + 1 < oldest)
    throw malformed('The cursor has expired. Start again without a cursor.', { code: 'invalid_cursor' })
  const start = at?.position ?? (from === 'now' ? last : oldest - 1)
  const { items, position } = await page(ctx, { start, last, limit, isWanted })
  const total = last - oldest + 1
  const next = { group: String(oldest), sort: String(position), total, bounded: false }
  return { items, total, next_cursor: await writeCursor(scope, next), has_more: position < last }
}

/** The cursor also holds the oldest position at that time, so the search for the present one starts close to it. */
async function readPlace(scope: CursorScope, cursor: string): Promise<{ oldest: number; position: number }> {
  const { group, sort } = await readCursor(scope, cursor)
  return { oldest: Number(group), position: Number(sort) }
}

type Wanted = { start: number; last: number; limit: number; isWanted: (type: EventType) => boolean }

/** The matching events after `start`, and the last position that was read. */
async function page(ctx: Context, { start, last, limit, isWanted }: Wanted) {
  const items: Envelope[] = []
  let position = start
  for (let reads = 0; reads < READS_MAX && position < last; reads += 1) {
    const found = await eventsAfter(ctx, position)
    for (const one of found) {
      if (items.length === limit) return { items, position }
      if (isWanted(one.event.type)) items.push(one.event)
      position = one.position
    }
    if (found.length === 0) break
  }
  return { items, position }
}

/** Other events are about people, money and connected systems. They need more than the right to read executions. */
const FOR_EVERY_READER = new Set<EventCategory>(['governance', 'agent', 'evidence', 'compliance', 'protocol'])

/** For keys `users:read` is tested, because only the scope `admin` has it, while a narrower scope has `audit:read`. */
const readsAll = ({ kind, permissions }: Principal) =>
  permissions.has('audit:read') && (kind === 'user' || permissions.has('users:read'))

/** A test for the types that the principal may read, among the named ones or all. Throws 403 for a named type it may not. */
export function readableTypes(principal: Principal, named?: readonly EventType[]): (type: EventType) => boolean {
  const mayRead = (type: EventType) => FOR_EVERY_READER.has(CATALOG[type].category) || readsAll(principal)
  const refused = named?.find((type) => !mayRead(type))
  if (refused) throw forbidden(`You need the permission audit:read (scope admin) for events of type ${refused}.`)
  return (type) => (named ? named.includes(type) : mayRead(type))
}
