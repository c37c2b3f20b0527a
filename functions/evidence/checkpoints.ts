import * as z from 'zod'
import { CheckpointView, listCheckpoints } from '../../shared/evidence/list-checkpoints.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { ListQuery, listReply } from '../../shared/http/pagination.ts'
import { evidence } from './routes.ts'

export const shapes = {
  query: ListQuery,
  reply: listReply(CheckpointView).extend({ verifier_keys: z.array(z.string()) }),
}

export const handler = endpoint(evidence.checkpoints, shapes, ({ query, ctx }) => listCheckpoints(ctx, query))
