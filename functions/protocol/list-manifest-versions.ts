import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { listVersions, VersionView } from '../../shared/govern/manifests/view.ts'
import { protocol } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(VersionView) }

export const handler = endpoint(protocol.listManifestVersions, shapes, ({ params, query, ctx }) =>
  listVersions(ctx, params.node_id, query),
)
