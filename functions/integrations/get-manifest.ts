import * as z from 'zod'
import { documentThere, readDocumentOf } from '../../shared/deliver/integrations/document-file.ts'
import { findConnector } from '../../shared/deliver/integrations/known-connector.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ActionView } from '../../shared/govern/manifests/action-view.ts'
import { ImportReport } from '../../shared/deliver/integrations/openapi/report.ts'
import { integrations } from './routes.ts'

const tiers = z.object({
  AUTO: z.int().describe('Actions that run at once.'),
  SOFT: z.int().describe('Actions that run and can be undone.'),
  HARD: z.int().describe('Actions that wait for a person.'),
})

export const shapes = {
  query: z.object({
    group: z.string().max(63).optional().describe('Only of this group.'),
    refresh: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: reads the document from its address again, and stores nothing.'),
  }),
  response: z.object({
    groups: z
      .array(
        z.object({
          group: z.string().describe('The name of the group.'),
          node_id: z.string().describe('Id of the node.'),
          operations: z.int().describe('How many operations the group has.'),
          actions_by_tier: tiers.describe('How many actions each tier has.'),
          bytes: z.int().describe('The length of its manifest.'),
        }),
      )
      .describe('The groups of operations, of which each is a node.'),
    manifest: z.looseObject({}).describe('The manifest of the node.'),
    registry: z
      .object({ listing_tier: z.string().describe('The trust level of the node in the registry.') })
      .describe('The entry of the node in the registry.'),
    actions: z
      .array(
        ActionView.extend({
          operation: z.string().describe('Method and path in the document.'),
          floors: z
            .array(
              z.object({
                signal: z.string().describe('The signal that was found.'),
                value: z.string().describe('The method, word or tier that was found.'),
                floor: z.string().describe('The lowest tier that this allows.'),
              }),
            )
            .describe('What in the document raises the tier.'),
        }),
      )
      .describe('The classification of each action.'),
    warnings: z.array(z.string()).describe('Effects that the author may not have intended.'),
    operations_skipped: z
      .array(
        z.object({
          operation: z.string().describe('Method and path in the document.'),
          reason: z.string().describe('The reason, for people.'),
          detail: z
            .string()
            .optional()
            .describe('The part of the document that is the cause: a reference, a server, a media type.'),
        }),
      )
      .describe('Operations that are not published, and why.'),
    operations_simplified: z
      .array(
        z.object({
          operation: z.string().describe('Method and path in the document.'),
          reasons: z.array(z.string()).describe('What the action does not say of the operation.'),
        }),
      )
      .describe('Operations whose actions accept more than the document does, or cannot send an optional part.'),
    report: ImportReport.describe('What became of the document, counted.'),
    document_sha256: z.string().describe('SHA-256 (hex) of the document.'),
  }),
}

export const handler = endpoint(integrations.getManifest, shapes, async ({ params, query, ctx }) => {
  const connector = await findConnector(ctx, params.id)
  const document = await (query.refresh === 'true' ? documentThere(connector) : readDocumentOf(ctx, connector))
  const { previewManifest } = await import('../../shared/deliver/integrations/preview-manifest.ts')
  return previewManifest(ctx, { ...connector, document }, query.group)
})
