import { ExportView, readExport } from '../../shared/assure/exports/request.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { evidence } from './routes.ts'

export const shapes = { response: ExportView }

/** A finished export has a download URL, which works for 15 minutes; each answer has a new one. */
export const handler = endpoint(evidence.getExport, shapes, ({ params, ctx }) => readExport(ctx, params.export_id))
