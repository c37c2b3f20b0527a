import * as z from 'zod'
import { proveArtifact } from '../../shared/ledger/evidence/checkpoint/prove.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { evidence } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'text/plain' }) }

export const handler = endpoint(evidence.proof, shapes, async ({ params, ctx }) =>
  httpResponse(200, await proveArtifact(ctx, params.id), { 'Content-Type': 'text/plain; charset=utf-8' }),
)
