import { ExportView, readExport } from '../../shared/exports/request.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { exports } from './routes.ts'

export const shapes = { reply: ExportView }

export const handler = endpoint(exports.get, shapes, ({ params, ctx }) => readExport(ctx, params.export_id))
