import * as z from 'zod'
import { auditCsv, auditLog, CSV_ROWS_MAX } from '../../shared/ledger/audit/log.ts'
import { writeAuditEntry } from '../../shared/ledger/audit/write-audit-entry.ts'
import { AuditQuery, AuditView, auditView } from '../../shared/ledger/audit/filters.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { BomQuery, wantsBom } from '../../shared/base/wire/download.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { LIMIT_DEFAULT, LIMIT_MAX, listView, paginate } from '../../shared/base/wire/pagination.ts'
import { security } from './routes.ts'

const count = z.string().regex(/^\d+$/).transform(Number)

export const shapes = {
  query: AuditQuery.extend({
    limit: count.pipe(z.int().min(1)).optional().describe('Rows per page. A larger value is lowered to the maximum.'),
    format: z.enum(['json', 'csv']).optional().describe('The form of the answer.'),
    bom: BomQuery,
  }),
  response: z.union([listView(AuditView), z.string()]),
}

/** Newest first unless `order=asc`. Reading adds an entry afterwards, so that the result does not include it. */
export const handler = endpoint(security.auditLogs, shapes, async ({ query, headers, ctx }) => {
  const { format = 'json', bom: mark, limit, ...filters } = query
  const bom = wantsBom({ format, bom: mark, headers })
  const [fallback, most] = format === 'csv' ? [CSV_ROWS_MAX, CSV_ROWS_MAX] : [LIMIT_DEFAULT, LIMIT_MAX]
  const limited = { ...filters, limit: Math.min(limit ?? fallback, most) }
  const page = await paginate(ctx, security.auditLogs.id, limited, await auditLog(ctx, query))
  const action = format === 'csv' ? 'audit_log.exported' : 'audit_log.read'
  const subject = { type: 'audit_log', id: ctx.space.tenant_id }
  await writeAuditEntry(ctx, { action, outcome: 'success', subject })
  const items = page.items.map(auditView)
  return format === 'csv' ? auditCsv(items, { next: page.next_cursor, bom }) : httpResponse(200, { ...page, items })
})
