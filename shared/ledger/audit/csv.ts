import type * as z from 'zod'
import { csvRecord } from '../../base/lib/export-text.ts'
import { HttpResponse } from '../../base/wire/call.ts'
import { BOM, csvHeaders } from '../../base/wire/download.ts'
import { malformed } from '../../base/lib/failure.ts'
import type { AuditView } from './filters.ts'

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
