import * as z from 'zod'
import { disableFramework } from '../../shared/assure/frameworks/disable-framework.ts'
import { FrameworkView, frameworkView } from '../../shared/assure/frameworks/framework-view.ts'
import { readState } from '../../shared/assure/frameworks/state.ts'
import { unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { body: z.strictObject({}), response: FrameworkView }

export const handler = endpoint(compliance.disableFramework, shapes, async ({ params, ctx }) => {
  const changed = await disableFramework(ctx, params.id)
  const view = frameworkView(await readState(ctx, params.id))
  return changed ? view : unchanged(view)
})
