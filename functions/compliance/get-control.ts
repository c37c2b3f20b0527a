import { readControl } from '../../shared/assure/frameworks/change-control.ts'
import { ControlDetail } from '../../shared/assure/frameworks/control-view.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { response: ControlDetail, versioned: true }

export const handler = endpoint(compliance.getControl, shapes, async ({ params, ctx }) => {
  const view = await readControl(ctx, params.id, params.control_key)
  return tagged(view, view.version)
})
