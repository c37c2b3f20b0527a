import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { deleteSlo } from '../../shared/operate/watch/delete-slo.ts'
import { slos } from './routes.ts'

export const shapes = { response: z.undefined(), versioned: true }

export const handler = endpoint(slos.delete, shapes, ({ params, version, ctx }) =>
  deleteSlo(ctx, { id: params.id, version }),
)
