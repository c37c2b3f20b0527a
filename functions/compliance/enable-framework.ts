import { enableFramework } from '../../shared/assure/frameworks/enable-framework.ts'
import { EnableBody } from '../../shared/assure/frameworks/change-control.ts'
import { FrameworkView, frameworkView } from '../../shared/assure/frameworks/framework-view.ts'
import { readState } from '../../shared/assure/frameworks/state.ts'
import { unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { body: EnableBody, response: FrameworkView }

export const handler = endpoint(compliance.enableFramework, shapes, async ({ params, body, ctx }) => {
  const changed = await enableFramework(ctx, params.id, body)
  const view = frameworkView(await readState(ctx, params.id))
  return changed ? view : unchanged(view)
})
