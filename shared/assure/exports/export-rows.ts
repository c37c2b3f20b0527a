// Returns one page of an export, or makes a file of all rows when they are too many for one response. Both leave evidence.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { headKey, heads } from '../../ledger/evidence/chain/chain.ts'
import { publicHash } from '../../ledger/evidence/artifact/hashes.ts'
import { type HttpResponse, httpResponse, unchanged } from '../../base/wire/call.ts'
import type { RowSources } from '../../base/ports/rows.ts'
import { ListQuery } from '../../base/wire/pagination.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { attachment } from '../../base/lib/export-text.ts'
import { BomQuery, wantsBom } from '../../base/wire/download.ts'
import type { Headers } from '../../base/wire/rest-event.ts'
import { FORMATS, recordShared, ROW_EXPORTS, type RowsAsk } from './export.ts'
import { ExportView, readExport, requestExport } from './request.ts'
import { FORMAT, type Format, type Page, rowExports, type Row, rowWriter } from './rows/row-export.ts'
import { type Window, windowOf, WindowQuery } from './window.ts'

export const INLINE_BYTES_MAX = 5_000_000
const LIMIT = { default: 1_000, max: 5_000 } as const

const whole = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1))

export const ExportQuery = ListQuery.extend({
  limit: whole
    .transform((limit) => Math.min(limit, LIMIT.max))
    .default(LIMIT.default)
    .describe('Rows per page. A larger value is lowered to the maximum.'),
  ...WindowQuery.shape,
  format: z.string().max(20).default('json').describe('`json`, `ndjson` or `csv`.'),
  bom: BomQuery,
  /** Whether to make a file even for few rows. */
  async: z.enum(['true', 'false']).optional().describe('`true`: always creates a file; the answer is 202.'),
  /** The id of an export whose state to return instead. */
  export_id: z.string().max(128).optional().describe('Answers the state of this export instead of rows.'),
})
type ExportQuery = z.output<typeof ExportQuery>

const Rows = z.object({
  export: z
    .object({
      type: z.enum(ROW_EXPORTS).describe('What the export holds.'),
      format: z.enum(FORMATS).describe('Format of the rows.'),
      start_at: z.string().describe('The beginning of the window.'),
      end_at: z.string().describe('The end of the window, exclusive.'),
      row_count: z.int().describe('The number of rows.'),
      generated_at: z.string().describe('When it was generated.'),
      /** The hash of the canonical JSON of `items`. */
      sha256: z.string().describe('SHA-256 of the file, hex.'),
      chain_head: z
        .object({
          sequence: z.int().describe('Position in the chain, from 0.'),
          hash: z.string().describe('Hash of the artifact, hex.'),
        })
        .nullable()
        .describe('The end of the chain when the export was made.'),
    })
    .describe('The content of the export.'),
  items: z.array(z.record(z.string(), z.unknown())).describe('The items of this page.'),
  total: z.int().describe('The total number of items.'),
  total_is_lower_bound: z
    .literal(true)
    .optional()
    .describe('Whether there are more than `total`, because counting stopped.'),
  next_cursor: z.string().nullable().optional().describe('Send this value as `cursor` to get the next page.'),
  has_more: z.boolean().optional().describe('Whether there are more items.'),
  limit: z.int().optional().describe('The maximum number of items that the request asked for.'),
  offset: z.int().optional().describe('The number of items that were skipped.'),
})

/** The rows as JSON, the state of their file, or the text of another format. */
export const ExportRowsView = z.union([Rows, ExportView, z.string()])

type Asked = ExportQuery & { type: RowsAsk['type']; headers: Headers }

export async function exportRows(ctx: Context, asked: Asked, sources: RowSources = {}): Promise<HttpResponse> {
  const { type, format: wanted, bom: mark, headers, async: inBackground, export_id, ...filters } = asked
  if (export_id !== undefined) return unchanged(await readExport(ctx, export_id))
  const format = formatOf(wanted)
  const bom = wantsBom({ format, bom: mark, headers })
  const window = windowOf(filters, ctx.now())
  const later = async () => {
    const view = await requestExport(ctx, { type, format, ...window, ...(bom && { bom }) })
    return httpResponse(202, view, { Location: view.poll })
  }
  if (inBackground === 'true') return later()
  const page = await rowExports(sources)[type].page(ctx, filters, window)
  const { text, body, sha256 } = await rendered(ctx, { type, format, bom, window, page })
  if (Buffer.byteLength(text) > INLINE_BYTES_MAX) return later()
  const shared = { export: type, format, ...window, row_count: page.items.length, sha256 }
  await recordShared(ctx, ctx.id('exp'), 'data_export', shared)
  if (format === 'json') return httpResponse(200, body)
  return httpResponse(200, text, {
    'Content-Type': FORMAT[format].type,
    'Content-Disposition': attachment(
      `${type}-${day(window.start_at)}-${day(window.end_at)}.${FORMAT[format].extension}`,
    ),
    'X-Export-Row-Count': String(page.items.length),
    'X-Export-Sha256': sha256,
    ...(page.next_cursor && { 'X-Next-Cursor': page.next_cursor }),
  })
}

const day = (time: string): string => time.slice(0, 10)

function formatOf(name: string): Format {
  const format = FORMATS.find((one) => one === name)
  if (format) return format
  const msg = `must be one of ${FORMATS.join(', ')}`
  throw new Failure('invalid', [{ loc: ['query', 'format'], msg, type: 'value_error' }])
}

type Rendering = {
  type: RowsAsk['type']
  format: Format
  bom: boolean
  window: Window
  page: Page
}

/** `sha256` covers the canonical JSON of the items in JSON, and the text itself in every other format. */
async function rendered(ctx: Context, { type, format, bom, window, page }: Rendering) {
  if (format !== 'json') {
    const { columns } = rowExports({})[type]
    const { head, row, tail } = rowWriter(format, columns, bom)
    const text = `${head}${page.items.map((item: Row) => row(item)).join('')}${tail}`
    return { text, body: undefined, sha256: sha256Hex(text) }
  }
  const sha256 = sha256Hex(canonicalJson(page.items))
  const head = await ctx.table.get(heads, headKey(ctx.space))
  const facts = {
    type,
    format,
    ...window,
    row_count: page.items.length,
    generated_at: iso(ctx.now()),
    sha256,
    chain_head: head && head.size > 0 ? { sequence: head.size - 1, hash: publicHash(head.last) } : null,
  }
  const body = { export: facts, ...page }
  return { text: JSON.stringify(body), body, sha256 }
}
