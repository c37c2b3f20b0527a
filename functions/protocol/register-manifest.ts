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
    node_id: z.string().describe('Id of the node.'),
    version: z.string().describe('Version of the manifest.'),
    status: z.enum(['registered', 'pending_approval']).describe('The current state.'),
    /** Of a version that loosens and waits for a person. */
    execution_id: z.string().optional().describe('Id of the execution.'),
    approval_id: z.string().optional().describe('Id of the approval.'),
    manifest_sha256: z.string().describe('SHA-256 of the canonical manifest, hex.'),
    actions: z.array(ActionView).describe('The classification of each action.'),
    warnings: z.array(z.string()).describe('Effects that the author may not have intended.'),
    /** Shown once: with the node's first target, and when it was rotated. */
    signing_secret: z
      .string()
      .optional()
      .describe('The secret that signs calls to the targets of the node. It is shown only once.'),
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
