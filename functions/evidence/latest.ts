import * as z from 'zod'
import { latestArtifacts } from '../../shared/evidence/latest.ts'
import { ArtifactView } from '../../shared/evidence/view.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { ListQuery, listReply } from '../../shared/http/pagination.ts'
import { evidence } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({ type: z.string().max(100).optional(), request_id: z.string().max(128).optional() }),
  reply: listReply(ArtifactView),
}

export const handler = endpoint(evidence.latest, shapes, ({ query, ctx }) => latestArtifacts(ctx, query))
