import * as z from 'zod'
import { openArtifactPayload } from '../../shared/govern/executions/sealed/open-payload.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { evidence } from './routes.ts'

export const shapes = {
  response: z.object({
    artifact_id: z.string().describe('Id of the artifact.'),
    payload: z.unknown().describe('The payload of the action, exactly as it was sent.'),
    /** Hex, like the commitment. */
    salt: z.string().describe('The salt of the commitment, hex.'),
    payload_commitment: z.string().describe('Salted hash of the payload, hex, as in the header of the artifact.'),
  }),
}

export const handler = endpoint(evidence.payload, shapes, ({ params, ctx }) => openArtifactPayload(ctx, params.id))
