import * as z from 'zod'
import { unchanged } from '../../shared/base/wire/call.ts'
import { optional, plainText } from '../../shared/base/wire/fields.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { AlertView } from '../../shared/operate/alerts/alert.ts'
import { resolveAlert } from '../../shared/operate/alerts/move-alert.ts'
import { alerts } from './routes.ts'

export const shapes = {
  body: z.strictObject({ note: optional(plainText(1_000)).describe('A note for people.') }),
  response: AlertView,
}

export const handler = endpoint(alerts.resolve, shapes, async ({ params, body, ctx }) => {
  const { alert, repeated } = await resolveAlert(ctx, { id: params.id, note: body.note })
  return repeated ? unchanged(alert) : alert
})
