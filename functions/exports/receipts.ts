import { ExportQuery, ExportRowsView, exportRows } from '../../shared/assure/exports/export-rows.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { exports } from './routes.ts'

export const shapes = { query: ExportQuery, response: ExportRowsView }

export const handler = endpoint(exports.receipts, shapes, ({ query, headers, ctx }) =>
  exportRows(ctx, { ...query, type: 'receipts', headers }),
)
