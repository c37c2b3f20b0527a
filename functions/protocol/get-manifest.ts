import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { findManifest, ManifestView } from '../../shared/govern/manifests/view.ts'
import { protocol } from './routes.ts'

export const shapes = {
  query: z.object({ version: z.string().optional().describe('The manifest of this version instead of the newest.') }),
  response: ManifestView,
}

export const handler = endpoint(protocol.getManifest, shapes, ({ params, query, ctx }) =>
  findManifest(ctx, params.node_id, query.version),
)
