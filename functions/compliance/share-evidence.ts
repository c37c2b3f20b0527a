import { FileView, shareFile } from '../../shared/assure/submissions/share-file.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { response: FileView }

export const handler = endpoint(compliance.shareEvidence, shapes, ({ params, ctx }) => shareFile(ctx, params.id))
