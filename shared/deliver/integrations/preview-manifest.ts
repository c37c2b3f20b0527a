// What publishing a group of a connector's operations would register. Stores nothing.
import type { Context } from '../../base/context.ts'
import { conflict, Failure } from '../../base/lib/failure.ts'
import { BYTES_MAX } from '../../govern/manifests/manifest.ts'
import { ACTIONS_MAX, type Converted } from './openapi/convert.ts'
import { classifier, conversionOf, countByTier, type Documented, manifestOf } from './published-node.ts'

/** `group`: the first of the document when absent. Throws 422 for one that the document does not have. */
export async function previewManifest(ctx: Context, connector: Documented, group?: string) {
  const { operations: all, skipped, document_sha256 } = await conversionOf(connector)
  const operations = all.filter(({ deprecated }) => !deprecated)
  const byGroup = Map.groupBy(operations, (one) => one.group)
  const chosen = group ?? byGroup.keys().next().value
  if (chosen === undefined)
    throw conflict('The OpenAPI document of this connector has no operation that can be published.')
  const members = byGroup.get(chosen)
  if (!members)
    throw new Failure('invalid', [{ loc: ['query', 'group'], msg: 'is no group of the document', type: 'value_error' }])
  const classify = await classifier(ctx)
  const groups = await Promise.all(
    [...byGroup].map(async ([name, of]) => summary(ctx, connector, { name, of, classify })),
  )
  const shown = fitting(members)
  const { manifest } = await manifestOf(ctx, connector, chosen, shown)
  const { actions, warnings } = classify(manifest)
  return {
    groups,
    manifest,
    registry: { listing_tier: 'development' },
    actions: actions.map((action, i) => ({
      ...action,
      operation: shown[i]?.operation ?? '',
      floors: shown[i]?.floors ?? [],
    })),
    warnings: [
      ...(shown.length < members.length
        ? [`selection_required: ${members.length} operations do not fit one manifest`]
        : []),
      ...shown.filter(({ simplified }) => simplified).map(({ endpoint }) => `${endpoint.action_id}: schema_simplified`),
      ...warnings,
    ],
    operations_skipped: [
      ...skipped,
      ...all
        .filter(({ deprecated }) => deprecated)
        .map(({ operation }) => ({ operation, reason: 'deprecated' as const })),
    ],
    document_sha256,
  }
}

type Group = { name: string; of: readonly Converted[]; classify: Awaited<ReturnType<typeof classifier>> }

async function summary(ctx: Context, connector: Documented, { name, of, classify }: Group) {
  const { manifest, bytes } = await manifestOf(ctx, connector, name, of)
  const { actions } = classify(manifest)
  return { group: name, node_id: manifest.node.id, operations: of.length, actions_by_tier: countByTier(actions), bytes }
}

/** What is left of the size of a manifest for its other members. */
const MEMBERS_BYTES = 4_096

/** As many operations as one manifest holds. */
function fitting(operations: readonly Converted[]): Converted[] {
  let left = BYTES_MAX - MEMBERS_BYTES
  return operations.slice(0, ACTIONS_MAX).filter(({ endpoint }) => {
    left -= Buffer.byteLength(JSON.stringify(endpoint)) + 1
    return left >= 0
  })
}
