import * as z from 'zod'
import { openArtifactPayload } from '../../shared/govern/executions/open-payload.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { evidence } from './routes.ts'

export const shapes = {
  response: z.object({
    artifact_id: z.string(),
    payload: z.unknown(),
    /** Hex, like the commitment. */
    salt: z.string(),
    payload_commitment: z.string(),
  }),
}

export const handler = endpoint(evidence.payload, shapes, ({ params, ctx }) => openArtifactPayload(ctx, params.id))
