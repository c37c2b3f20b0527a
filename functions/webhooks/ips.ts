import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { egressRanges } from '../../shared/deliver/webhooks/egress.ts'
import { webhooks } from './routes.ts'

export const shapes = {
  response: z.object({
    ip_ranges: z.array(z.string()),
    static: z.boolean(),
    region: z.string(),
    updated_at: z.string(),
  }),
}

export const handler = endpoint(webhooks.ips, shapes, ({ ctx }) => egressRanges(ctx))
