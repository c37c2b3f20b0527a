import { endpoint } from '../../shared/http/endpoint.ts'
import { ListQuery, listReply } from '../../shared/http/pagination.ts'
import { listVersions, VersionView } from '../../shared/manifests/view.ts'
import { protocol } from './routes.ts'

export const shapes = { query: ListQuery, reply: listReply(VersionView) }

export const handler = endpoint(protocol.listManifestVersions, shapes, ({ params, query, ctx }) =>
  listVersions(ctx, params.node_id, query),
)
