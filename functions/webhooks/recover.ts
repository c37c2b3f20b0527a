import * as z from 'zod'
import { httpResponse, unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { EventSelector } from '../../shared/deliver/webhooks/endpoints/fields.ts'
import { recoverDeliveries } from '../../shared/deliver/webhooks/recover.ts'
import { webhooks } from './routes.ts'

const instant = z.iso.datetime({ offset: true })

export const shapes = {
  body: z.strictObject({
    since: instant.describe('The beginning of the window.'),
    until: optional(instant).describe('The end of the window.'),
    types: optional(z.array(EventSelector).min(1).max(50)).describe(
      'Types of events. `action.*` matches all types of an area.',
    ),
    dry_run: optional(z.boolean()).describe('Whether only to count what would be done.'),
  }),
  response: z.object({
    matched: z.int().describe('The number of events that match.'),
    recover_id: z.string().optional().describe('Id of the recovery that sent it.'),
  }),
}

/** 202 with the job's id; a dry run is 200 and changes nothing. */
export const handler = endpoint(webhooks.recover, shapes, async ({ params, body, ctx }) => {
  const result = await recoverDeliveries(ctx, { id: params.id, ...body })
  return body.dry_run ? unchanged(result) : httpResponse(202, result)
})
