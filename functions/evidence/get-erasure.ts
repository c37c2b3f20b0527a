import { readErasure } from '../../shared/erasure/erase.ts'
import { ErasureView } from '../../shared/erasure/erasure.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { evidence } from './routes.ts'

export const shapes = { reply: ErasureView }

export const handler = endpoint(evidence.getErasure, shapes, ({ params, ctx }) => readErasure(ctx, params.id))
