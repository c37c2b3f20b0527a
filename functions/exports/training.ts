import { ExportQuery, ExportRowsView, exportRows } from '../../shared/assure/exports/export-rows.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { exports } from './routes.ts'

export const shapes = { query: ExportQuery, response: ExportRowsView }

/** No area trains models yet, so there are no rows. */
export const handler = endpoint(exports.training, shapes, ({ query, ctx }) =>
  exportRows(ctx, { ...query, type: 'training' }),
)
