import { ExportView, readExport } from '../../shared/assure/exports/request.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { exports } from './routes.ts'

export const shapes = { response: ExportView }

export const handler = endpoint(exports.get, shapes, ({ params, ctx }) => readExport(ctx, params.export_id))
