import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { change } from '../../shared/operate/definitions/definitions.ts'
import { given } from '../../shared/base/lib/json.ts'
import { SloChange, SLOS, SloView, sloView } from '../../shared/operate/slos/slo.ts'
import { slos } from './routes.ts'

export const shapes = { body: SloChange, response: SloView, versioned: true }

export const handler = endpoint(slos.update, shapes, async ({ params, body, version, ctx }) => {
  const { version: _, ...fields } = body
  const changed = await change(ctx, SLOS, { id: params.id, version, apply: (was) => ({ ...was, ...given(fields) }) })
  const view = sloView(changed)
  return tagged(view, view.version)
})
