// The exports that are lists of rows: their items, and the formats of their rows.
import type { Context } from '../../../base/context.ts'
import { type ListQuery, type ListSource, paginate } from '../../../base/wire/pagination.ts'
import { APPROVAL_COLUMNS, approvalList, approvalRows, RECEIPT_COLUMNS, receiptList, receiptRows } from './actions.ts'
import type { RowSources, TrainingRow, UsageRow } from '../../../base/ports/rows.ts'
import { pageOf } from '../../../base/wire/page-of.ts'
import { BOM } from '../../../base/wire/download.ts'
import { csvRecord } from '../../../base/lib/export-text.ts'
import type { FORMATS, RowsAsk } from '../export.ts'
import type { Window } from '../window.ts'

export type Row = Record<string, unknown>
export type Format = (typeof FORMATS)[number]

/** One page, for both envelopes of lists. */
export type Page = Omit<Awaited<ReturnType<typeof paginate>>, 'items'> & { items: Row[] }

type RowExport = {
  columns: readonly string[]
  /** `query`: the caller's query. A cursor is bound to it and not to the window, which may depend on the current time. */
  page: (ctx: Context, query: ListQuery & Record<string, unknown>, window: Window) => Promise<Page>
}

function rowExport<T, K>(
  operation: string,
  columns: readonly string[],
  list: (ctx: Context, window: Window) => ListSource<T, K>,
  rows: (ctx: Context, items: readonly T[]) => Promise<Row[]>,
): RowExport {
  const only = (row: Row): Row => Object.fromEntries(columns.map((name) => [name, row[name] ?? null]))
  const page: RowExport['page'] = async (ctx, query, window) => {
    const found = await paginate(ctx, operation, query, list(ctx, window))
    return { ...found, items: (await rows(ctx, found.items)).map(only) }
  }
  return { columns, page }
}

/** Rows that are few enough to be read at once. `nameOf` gives each a name of its own. */
function givenRows<R extends Row>(
  operation: string,
  columns: readonly (keyof R & string)[],
  rows: ((ctx: Context, window: Window) => Promise<R[]>) | undefined,
  nameOf: (row: R) => string,
): RowExport {
  return {
    columns,
    page: async (ctx, query, window) => pageOf(ctx, operation, query, (await rows?.(ctx, window)) ?? [], nameOf),
  }
}

export const rowExports = ({ usage, training }: RowSources): Record<RowsAsk['type'], RowExport> => ({
  receipts: rowExport('exports-receipts', RECEIPT_COLUMNS, receiptList, receiptRows),
  approvals: rowExport('exports-approvals', APPROVAL_COLUMNS, approvalList, approvalRows),
  usage: givenRows('exports-usage', USAGE_COLUMNS, usage, ({ date }) => date),
  training: givenRows('exports-training', TRAINING_COLUMNS, training, ({ job_id }) => job_id),
})

export const FORMAT = {
  json: { type: 'application/json; charset=utf-8', extension: 'json' },
  ndjson: { type: 'application/x-ndjson; charset=utf-8', extension: 'ndjson' },
  csv: { type: 'text/csv; charset=utf-8; header=present', extension: 'csv' },
} as const

/** The text before, between and after the rows of a document. `bom`: begins CSV with a byte order mark. */
export function rowWriter(format: Format, columns: readonly string[], bom = false) {
  if (format === 'csv')
    return {
      head: (bom ? BOM : '') + csvRecord(columns),
      row: (row: Row) => csvRecord(columns.map((name) => row[name])),
      tail: '',
    }
  if (format === 'ndjson') return { head: '', row: (row: Row) => `${JSON.stringify(row)}\n`, tail: '' }
  let first = true
  const row = (one: Row) => {
    const text = `${first ? '' : ','}\n${JSON.stringify(one)}`
    first = false
    return text
  }
  return { head: '[', row, tail: '\n]\n' }
}

// Columns of the exports whose rows come from other areas.
const USAGE_COLUMNS = [
  'date',
  'environment',
  'api_calls',
  'executions',
  'tokens_input',
  'tokens_output',
  'tokens_estimated',
  'storage_bytes',
  'webhook_deliveries',
] as const satisfies (keyof UsageRow)[]

const TRAINING_COLUMNS = [
  'job_id',
  'name',
  'type',
  'trainer',
  'dataset_id',
  'dataset_sha256',
  'status',
  'queued_at',
  'started_at',
  'finished_at',
  'duration_s',
  'test_accuracy',
  'test_auc',
  'loss',
  'cost_usd',
  'model_id',
  'model_version',
  'deployed_at',
] as const satisfies (keyof TrainingRow)[]
