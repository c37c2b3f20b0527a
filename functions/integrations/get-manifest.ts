import * as z from 'zod'
import { documentThere, readDocumentOf } from '../../shared/deliver/integrations/document-file.ts'
import { findConnector } from '../../shared/deliver/integrations/known-connector.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ActionView } from '../../shared/govern/manifests/action-view.ts'
import { integrations } from './routes.ts'

const tiers = z.object({ AUTO: z.int(), SOFT: z.int(), HARD: z.int() })

export const shapes = {
  query: z.object({ group: z.string().max(63).optional(), refresh: z.enum(['true', 'false']).optional() }),
  response: z.object({
    groups: z.array(
      z.object({
        group: z.string(),
        node_id: z.string(),
        operations: z.int(),
        actions_by_tier: tiers,
        bytes: z.int(),
      }),
    ),
    manifest: z.looseObject({}),
    registry: z.object({ listing_tier: z.string() }),
    actions: z.array(
      ActionView.extend({
        operation: z.string(),
        floors: z.array(z.object({ signal: z.string(), value: z.string(), floor: z.string() })),
      }),
    ),
    warnings: z.array(z.string()),
    operations_skipped: z.array(z.object({ operation: z.string(), reason: z.string() })),
    document_sha256: z.string(),
  }),
}

export const handler = endpoint(integrations.getManifest, shapes, async ({ params, query, ctx }) => {
  const connector = await findConnector(ctx, params.id)
  const document = await (query.refresh === 'true' ? documentThere(connector) : readDocumentOf(ctx, connector))
  const { previewManifest } = await import('../../shared/deliver/integrations/preview-manifest.ts')
  return previewManifest(ctx, { ...connector, document }, query.group)
})
