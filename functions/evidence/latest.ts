import * as z from 'zod'
import { latestArtifacts } from '../../shared/govern/completeness/latest.ts'
import { ArtifactView } from '../../shared/ledger/evidence/artifact/view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { evidence } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({
    type: z
      .string()
      .max(100)
      .optional()
      .describe('Only of this type of artifact; `prefix.*` stands for all that begin so.'),
    request_id: z
      .string()
      .max(128)
      .optional()
      .describe('Only of this execution.')
      .meta({ examples: ['exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R'] }),
  }),
  response: listView(ArtifactView),
}

export const handler = endpoint(evidence.latest, shapes, ({ query, ctx }) => latestArtifacts(ctx, query))
