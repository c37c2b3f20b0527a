import { changeControl, ControlPatch, placeOf, readControl } from '../../shared/assure/frameworks/change-control.ts'
import { ControlDetail } from '../../shared/assure/frameworks/control-view.ts'
import { unchanged } from '../../shared/base/wire/call.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { body: ControlPatch, response: ControlDetail, versioned: true }

export const handler = endpoint(compliance.updateControl, shapes, async ({ params, body, version, ctx }) => {
  const place = placeOf(params.id, params.control_key)
  const changed = await changeControl(ctx, place, { ...body, version })
  const view = await readControl(ctx, params.id, params.control_key)
  return changed ? tagged(view, view.version) : unchanged(view)
})
