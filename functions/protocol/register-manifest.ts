import '../effects.ts'
import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ActionView } from '../../shared/govern/manifests/action-view.ts'
import { registrationBody } from '../../shared/govern/manifests/manifest.ts'
import { registerManifest } from '../../shared/govern/protocol/register-manifest.ts'
import { protocol } from './routes.ts'

export const shapes = {
  body: registrationBody,
  response: z.object({
    node_id: z.string(),
    version: z.string(),
    status: z.enum(['registered', 'pending_approval']),
    /** Of a version that loosens and waits for a person. */
    execution_id: z.string().optional(),
    approval_id: z.string().optional(),
    manifest_sha256: z.string(),
    actions: z.array(ActionView),
    warnings: z.array(z.string()),
    /** Shown once: with the node's first target, and when it was rotated. */
    signing_secret: z.string().optional(),
  }),
}

/** Registers a version of a node and says how each of its actions will be classified. */
export const handler = endpoint(
  protocol.registerManifest,
  shapes,
  async ({ body, ctx }) => {
    const registered = await registerManifest(ctx, body)
    const { node_id, version } = registered
    if (registered.status === 'pending_approval')
      return httpResponse(202, registered, { Location: `/api/v1/work/approvals/${registered.approval_id}` })
    return httpResponse(201, registered, { Location: `/api/v1/protocol/manifest/${node_id}?version=${version}` })
  },
  { protect: textSeal('answer') },
)
