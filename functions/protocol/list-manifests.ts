import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listReply } from '../../shared/base/wire/pagination.ts'
import { listManifests, ManifestView } from '../../shared/govern/manifests/view.ts'
import { protocol } from './routes.ts'

export const shapes = { query: ListQuery, reply: listReply(ManifestView) }

export const handler = endpoint(protocol.listManifests, shapes, ({ query, ctx }) => listManifests(ctx, query))
