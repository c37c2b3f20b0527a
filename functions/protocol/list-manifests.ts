import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { listManifests, ManifestView } from '../../shared/govern/manifests/view.ts'
import { protocol } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(ManifestView) }

export const handler = endpoint(protocol.listManifests, shapes, ({ query, ctx }) => listManifests(ctx, query))
