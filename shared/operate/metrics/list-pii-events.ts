// The findings of personal data one by one: in which execution, of which types, and what became of them. No value is stored.
import * as z from 'zod'
import { DIRECTIONS, PII_ACTIONS, PII_TYPES } from '../../base/catalog/measure-words.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { monthsBack } from '../../base/lib/days.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { PII_KEPT_MS, PiiEvent, piiEvents, piiPartition } from '../../govern/governance/pii/event.ts'

const Instant = z.iso.datetime({ offset: true }).transform((text) => iso(Date.parse(text)))

export const PiiFilters = z.object({
  type: z.enum(PII_TYPES).optional().describe('Only those that hold this type of personal data.'),
  direction: z
    .enum(DIRECTIONS)
    .optional()
    .describe('Only in what an execution was given, or only in what it gave back.'),
  action: z
    .enum(PII_ACTIONS)
    .optional()
    .describe('Only those of which this became: seen and let through, shown as placeholders, or refused.'),
  node_id: z.string().max(200).optional().describe('Only of this node.'),
  external: z.enum(['true', 'false']).optional().describe('`true`: only where the data leaves the tenant.'),
  /** Inclusive. */
  start_at: Instant.optional()
    .describe('From this time on, ISO 8601.')
    .meta({ examples: ['2026-10-01T00:00:00.000Z'] }),
  /** Exclusive. */
  end_at: Instant.optional()
    .describe('Up to this time, ISO 8601.')
    .meta({ examples: ['2026-11-01T00:00:00.000Z'] }),
})
type Filters = z.output<typeof PiiFilters>

export const PiiEventView = PiiEvent.unwrap().omit({ mode: true })

/** An event stands in the month of its execution, whose output may come later: it waits at most 7 days for approval. */
const WAIT_MS = 8 * 86_400_000

/** Newest execution first, as far back as they are kept. */
export function listPiiEvents(ctx: Context, operation: string, query: ListQuery & Filters) {
  const oldest = ctx.now() - PII_KEPT_MS
  const until = query.end_at === undefined ? ctx.now() : Math.min(Date.parse(query.end_at), ctx.now())
  const from = query.start_at === undefined ? oldest : Math.max(Date.parse(query.start_at) - WAIT_MS, oldest)
  const months = monthsBack(until, from)
  return paginate(ctx, operation, query, {
    of: piiEvents,
    groups: months.map((month) => ({ name: month, partitions: [piiPartition(ctx.space, month)] })),
    filter: filterOf(query, iso(oldest)),
  })
}

/** Findings that are due to be deleted are not shown, also before they are deleted. */
const filterOf =
  ({ type, direction, action, node_id, external, start_at, end_at }: Filters, oldest: string) =>
  (event: PiiEvent): boolean =>
    event.at >= oldest &&
    (type === undefined || event.types[type] !== undefined) &&
    (direction ?? event.direction) === event.direction &&
    (action ?? event.action) === event.action &&
    (node_id ?? event.node_id) === event.node_id &&
    (external ?? String(event.external)) === String(event.external) &&
    event.at >= (start_at ?? '') &&
    (end_at === undefined || event.at < end_at)
