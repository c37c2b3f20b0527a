import { readErasure } from '../../shared/assure/erasure/erase.ts'
import { ErasureView } from '../../shared/assure/erasure/erasure.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { evidence } from './routes.ts'

export const shapes = { response: ErasureView }

export const handler = endpoint(evidence.getErasure, shapes, ({ params, ctx }) => readErasure(ctx, params.id))
