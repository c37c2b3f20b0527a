import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import type { JsonObject } from '../../shared/base/wire/parse-body.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { createSlo, OpenSlo } from '../../shared/operate/slos/open-slo.ts'
import { SloInput, SloView, sloView } from '../../shared/operate/slos/slo.ts'
import { slos } from './routes.ts'

export const shapes = {
  body: z.union([SloInput, OpenSlo]),
  bodyNamed: (sent: JsonObject) => ('apiVersion' in sent || 'kind' in sent ? OpenSlo : SloInput),
  response: SloView,
}

export const handler = endpoint(slos.create, shapes, async ({ body, ctx }) => {
  const created = await createSlo(ctx, body)
  return httpResponse(201, sloView(created), { Location: `/api/v1/operations/slos/${created.id}` })
})
