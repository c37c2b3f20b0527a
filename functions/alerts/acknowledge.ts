import * as z from 'zod'
import { optional, plainText } from '../../shared/base/wire/fields.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { AlertView } from '../../shared/operate/alerts/alert.ts'
import { acknowledge } from '../../shared/operate/alerts/move-alert.ts'
import { alerts } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    note: optional(plainText(1_000)).describe('A note for people.'),
    snooze_minutes: optional(z.int().min(1).max(10_080)).describe(
      'For how long no mails are sent. Default: `ack_timeout` of the rule.',
    ),
  }),
  response: AlertView,
}

export const handler = endpoint(alerts.acknowledge, shapes, ({ params, body, ctx }) =>
  acknowledge(ctx, { id: params.id, ...body }),
)
