import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ActionView } from '../../shared/govern/manifests/action-view.ts'
import { registrationBody } from '../../shared/govern/manifests/manifest.ts'
import { previewActions } from '../../shared/govern/manifests/preview.ts'
import { protocol } from './routes.ts'

export const shapes = {
  body: registrationBody,
  response: z.object({ valid: z.literal(true), actions: z.array(ActionView), warnings: z.array(z.string()) }),
}

/** The same 422 that registration would give, or how each action will be classified. */
export const handler = endpoint(protocol.validateManifest, shapes, async ({ body, ctx }) => ({
  valid: true as const,
  ...(await previewActions(ctx, body.manifest)),
}))
