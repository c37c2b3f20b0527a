import * as z from 'zod'
import { CheckpointView, listCheckpoints } from '../../shared/ledger/evidence/checkpoint/signers.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { evidence } from './routes.ts'

export const shapes = {
  query: ListQuery,
  response: listView(CheckpointView).extend({
    verifier_keys: z
      .array(z.string())
      .describe('Public keys that verify the checkpoints, oldest first (c2sp.org/signed-note).'),
  }),
}

export const handler = endpoint(evidence.checkpoints, shapes, ({ query, ctx }) => listCheckpoints(ctx, query))
