// The audit log as a list: month by month, or the entries of one actor or resource by their index.
import type { Context, Space } from '../../base/context.ts'
import { monthsBack } from '../../base/lib/days.ts'
import type { ListSource } from '../../base/wire/pagination.ts'
import { firstId, ulid } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { actorPartition, auditEntries, type AuditEntry, auditPartition, resourcePartition } from './entry.ts'
import { type AuditFilters, type AuditView, matching } from './filters.ts'
import type * as z from 'zod'
import { csvRecord } from '../../base/lib/export-text.ts'
import { HttpResponse } from '../../base/wire/call.ts'
import { BOM, csvHeaders } from '../../base/wire/download.ts'
import { malformed } from '../../base/lib/failure.ts'

/** An unfiltered log is counted up to these limits. Beyond them its total is a lower bound. */
const MONTHS_COUNTED = 12
const PAGES_COUNTED = 2

type Source = ListSource<Stored<AuditEntry>, Pick<AuditEntry, 'tenant_id' | 'mode' | 'at' | 'id'>>

/** The partitions to read, and the filters that remain to be tested. */
type Place = Pick<Source, 'groups' | 'index' | 'total'> & { rest: AuditFilters }

export async function auditLog(ctx: Context, filters: AuditFilters): Promise<Source> {
  const { start_at, end_at, order } = filters
  const from = start_at === undefined ? undefined : firstId('aud', Math.max(0, start_at))
  const to = end_at === undefined ? undefined : lastIdBefore(Math.max(1, end_at))
  const { rest, total, groups, index } = indexed(ctx.space, filters) ?? (await byMonth(ctx, filters, { from, to }))
  const filter = matching(rest)
  return {
    of: auditEntries,
    ...(index && { index }),
    groups: order === 'asc' ? groups.toReversed() : groups,
    descending: order !== 'asc',
    from,
    to,
    filter,
    ...(total && !filter && { total }),
  }
}

const lastIdBefore = (at: number) => `aud_${ulid(at - 1, (size) => new Uint8Array(size).fill(255))}`

function indexed(space: Space, filters: AuditFilters): Place | undefined {
  const { actor_id, resource_type: type, resource_id: id, ...others } = filters
  const at = (index: 'gsi1' | 'gsi2', pk: string) => ({ index, groups: [{ name: index, partitions: [pk] }] })
  if (type !== undefined && id !== undefined) {
    return { ...at('gsi2', resourcePartition(space, { type, id })), rest: { ...others, actor_id } }
  }
  if (actor_id === undefined) return undefined
  return { ...at('gsi1', actorPartition(space, actor_id)), rest: { ...others, resource_type: type, resource_id: id } }
}

type Bounds = { from: string | undefined; to: string | undefined }

/** Newest month first, within the bounds and the age of the tenant. */
async function byMonth(ctx: Context, filters: AuditFilters, bounds: Bounds): Promise<Place> {
  const founded = Date.parse((await tenantOf(ctx.table, ctx.space.tenant_id)).created_at)
  const now = ctx.now()
  const newest = Math.min(now, filters.end_at ?? now)
  const months = monthsBack(newest, Math.max(founded, filters.start_at ?? founded))
  const partitions = months.map((month) => auditPartition(ctx.space, month))
  return {
    groups: months.map((name, index) => ({ name, partitions: [partitions[index] ?? ''] })),
    rest: filters,
    total: () => countOf(ctx, partitions, bounds),
  }
}

async function countOf({ table }: Context, all: readonly string[], bounds: Bounds) {
  const counted = all.slice(0, MONTHS_COUNTED)
  const counts = await Promise.all(counted.map((pk) => table.count({ pk, ...bounds }, PAGES_COUNTED)))
  return {
    total: counts.reduce((sum, { total }) => sum + total, 0),
    complete: counted.length === all.length && counts.every(({ complete }) => complete),
  }
}

/** Rows of one answer. The cursor in its header leads to the next ones. */
export const CSV_ROWS_MAX = 1_000

type Entry = z.input<typeof AuditView>

/** The columns in order, each with its value. */
const COLUMNS: readonly (readonly [string, (entry: Entry) => unknown])[] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['actor_type', ({ actor }) => actor.type],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_email', ({ actor }) => actor.email],
  ['action', ({ action }) => action],
  ['resource_type', ({ resource }) => resource.type],
  ['resource_id', ({ resource }) => resource.id],
  ['resource_name', ({ resource }) => resource.name],
  ['outcome', ({ outcome }) => outcome],
  ['reason', ({ reason }) => reason],
  ['ip', ({ ip }) => ip],
  ['user_agent', ({ user_agent }) => user_agent],
  ['country', ({ country }) => country],
  ['request_id', ({ request_id }) => request_id],
  ['trace_id', ({ trace_id }) => trace_id],
  ['changes', ({ changes }) => changes],
  ['evidence_artifact_id', ({ evidence_artifact_id }) => evidence_artifact_id],
  ['environment', ({ environment }) => environment],
  ['client_id', ({ actor }) => actor.client_id],
  ['agent_id', ({ actor }) => actor.agent_id],
]

/** Lambda limits an answer to 6 MB. */
const BYTES_MAX = 5_500_000

type Table = { next: string | null | undefined; bom: boolean }

/** Throws 400 when the rows exceed one answer. */
export function auditCsv(entries: readonly Entry[], { next, bom }: Table): HttpResponse {
  const header = (bom ? BOM : '') + csvRecord(COLUMNS.map(([name]) => name))
  const text = header + entries.map((entry) => csvRecord(COLUMNS.map(([, cell]) => cell(entry)))).join('')
  if (Buffer.byteLength(text) > BYTES_MAX) throw malformed('The rows are too long for one file. Send a lower limit.')
  const headers = {
    ...csvHeaders('audit-log.csv'),
    ...(next && { 'X-Next-Cursor': next }),
  }
  return new HttpResponse(200, text, { headers })
}
