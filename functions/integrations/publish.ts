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
    groups: optional(z.array(z.string().max(63)).max(400)),
    operations: optional(z.array(z.string().max(1_100)).max(400)),
    document_sha256: optional(z.string().max(64)),
    listing_tier: optional(z.string().regex(SLUG, 'must be a slug')),
  }),
  response: z.object({
    nodes: z.array(
      z.object({
        node_id: z.string(),
        version: z.string(),
        actions: z.int(),
        status: z.enum(['registered', 'unchanged', 'pending_approval']),
        execution_id: z.string().optional(),
        approval_id: z.string().optional(),
      }),
    ),
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
