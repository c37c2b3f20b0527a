import * as z from 'zod'
import { proveArtifact } from '../../shared/evidence/prove.ts'
import { answer } from '../../shared/http/call.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { evidence } from './routes.ts'

export const shapes = { reply: z.string().meta({ contentMediaType: 'text/plain' }) }

export const handler = endpoint(evidence.proof, shapes, async ({ params, ctx }) =>
  answer(200, await proveArtifact(ctx, params.id), { 'Content-Type': 'text/plain; charset=utf-8' }),
)
