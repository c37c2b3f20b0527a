import * as z from 'zod'
import { DEFAULT_SETTINGS } from '../../shared/governance/settings.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { ActionView } from '../../shared/manifests/action-view.ts'
import { describeActions } from '../../shared/manifests/describe.ts'
import { registrationBody } from '../../shared/manifests/manifest.ts'
import { refuseUnusable } from '../../shared/manifests/refuse-manifest.ts'
import { protocol } from './routes.ts'

export const shapes = {
  body: registrationBody,
  reply: z.object({ valid: z.literal(true), actions: z.array(ActionView), warnings: z.array(z.string()) }),
}

/** The same 422 that registration would give, or how each action will be classified. */
export const handler = endpoint(protocol.validateManifest, shapes, async ({ body }) => {
  await refuseUnusable(body.manifest)
  return { valid: true as const, ...describeActions(body.manifest, { settings: DEFAULT_SETTINGS }) }
})
