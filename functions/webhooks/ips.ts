import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { egressRanges } from '../../shared/deliver/webhooks/egress.ts'
import { webhooks } from './routes.ts'

export const shapes = {
  response: z.object({
    ip_ranges: z.array(z.string()).describe('The networks from which deliveries are sent.'),
    static: z.boolean().describe('Whether these networks never change.'),
    region: z.string().describe('The AWS region.'),
    updated_at: z.string().describe('When it was last changed.'),
  }),
}

export const handler = endpoint(webhooks.ips, shapes, ({ ctx }) => egressRanges(ctx))
