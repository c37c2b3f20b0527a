import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ActionView } from '../../shared/govern/manifests/action-view.ts'
import { registrationBody } from '../../shared/govern/manifests/manifest.ts'
import { previewActions } from '../../shared/govern/manifests/describe.ts'
import { protocol } from './routes.ts'

export const shapes = {
  body: registrationBody,
  response: z.object({
    valid: z.literal(true).describe('Whether it follows all rules.'),
    actions: z.array(ActionView).describe('The classification of each action.'),
    warnings: z.array(z.string()).describe('Effects that the author may not have intended.'),
  }),
}

/** The same 422 that registration would give, or how each action will be classified. */
export const handler = endpoint(protocol.validateManifest, shapes, async ({ body, ctx }) => ({
  valid: true as const,
  ...(await previewActions(ctx, body.manifest)),
}))
