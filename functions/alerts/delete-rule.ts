import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { deleteRule } from '../../shared/operate/alerts/change-rules.ts'
import { alerts } from './routes.ts'

export const shapes = { response: z.undefined(), versioned: true }

export const handler = endpoint(alerts.deleteRule, shapes, async ({ params, version, ctx }) => {
  await deleteRule(ctx, { id: params.id, version })
  return undefined
})
