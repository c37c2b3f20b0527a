import { endpoint } from '../../shared/http/endpoint.ts'
import { ListQuery, listReply } from '../../shared/http/pagination.ts'
import { listManifests, ManifestView } from '../../shared/manifests/view.ts'
import { protocol } from './routes.ts'

export const shapes = { query: ListQuery, reply: listReply(ManifestView) }

export const handler = endpoint(protocol.listManifests, shapes, ({ query, ctx }) => listManifests(ctx, query))
