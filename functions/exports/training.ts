import { ExportQuery, ExportRowsView, exportRows } from '../../shared/assure/exports/export-rows.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { trainingRows } from '../../shared/learn/jobs/training-rows.ts'
import { exports } from './routes.ts'

export const shapes = { query: ExportQuery, response: ExportRowsView }

export const handler = endpoint(exports.training, shapes, ({ query, headers, ctx }) =>
  exportRows(ctx, { ...query, type: 'training', headers }, { training: trainingRows }),
)
