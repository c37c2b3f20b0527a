import '../effects.ts'
import * as z from 'zod'
import { optional } from '../../shared/base/wire/fields.ts'
import { readDocumentOf } from '../../shared/deliver/integrations/document-file.ts'
import { findConnector } from '../../shared/deliver/integrations/known-connector.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export const shapes = {
  body: z.strictObject({
    groups: optional(z.array(z.string().max(63)).max(400)).describe('The groups of operations to publish.'),
    operations: optional(z.array(z.string().max(1_100)).max(400)).describe('Single operations, by method and path.'),
    document_sha256: optional(z.string().max(64)).describe('SHA-256 (hex) of the document.'),
    listing_tier: optional(z.string().regex(SLUG, 'must be a slug')).describe(
      'The trust level of the node in the registry.',
    ),
  }),
  response: z.object({
    nodes: z
      .array(
        z.object({
          node_id: z.string().describe('Id of the node.'),
          version: z.string().describe('Version of the manifest.'),
          actions: z.int().describe('The classification of each action.'),
          status: z.enum(['registered', 'unchanged', 'pending_approval']).describe('The current state.'),
          execution_id: z.string().optional().describe('Id of the execution.'),
          approval_id: z.string().optional().describe('Id of the approval.'),
        }),
      )
      .describe('The nodes that were published.'),
  }),
}

export const handler = endpoint(integrations.publish, shapes, async ({ params, body, ctx }) => {
  const connector = await findConnector(ctx, params.id)
  const { publishManifest } = await import('../../shared/deliver/integrations/publish-manifest.ts')
  const published = await publishManifest(ctx, { ...connector, document: await readDocumentOf(ctx, connector) }, body)
  const waiting = published.nodes.find(({ status }) => status === 'pending_approval')
  if (!waiting) return published
  return httpResponse(202, published, { Location: `/api/v1/work/approvals/${waiting.approval_id}` })
})
