import { ExportQuery, ExportRowsView, exportRows } from '../../shared/assure/exports/export-rows.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { usageRows } from '../../shared/operate/usage/usage-rows.ts'
import { exports } from './routes.ts'

export const shapes = { query: ExportQuery, response: ExportRowsView }

export const handler = endpoint(exports.usage, shapes, ({ query, headers, ctx }) =>
  exportRows(ctx, { ...query, type: 'usage', headers }, { usage: usageRows }),
)
