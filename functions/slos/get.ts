import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { find } from '../../shared/operate/definitions/definitions.ts'
import { OpenSlo, toOpenSlo } from '../../shared/operate/slos/open-slo.ts'
import { SLOS, SloView, sloView } from '../../shared/operate/slos/slo.ts'
import { slos } from './routes.ts'

export const shapes = {
  query: z.object({ format: z.enum(['json', 'openslo']).optional().describe('The form of the answer.') }),
  response: z.union([SloView, OpenSlo]),
  versioned: true,
}

export const handler = endpoint(slos.get, shapes, async ({ params, query, ctx }) => {
  const slo = await find(ctx, SLOS, params.id)
  if (query.format === 'openslo') return httpResponse(200, toOpenSlo(slo))
  const view = sloView(slo)
  return tagged(view, view.version)
})
