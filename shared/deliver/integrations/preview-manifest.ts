// What publishing a group of a connector's operations would register. Stores nothing.
import type { Context } from '../../base/context.ts'
import { conflict, Failure } from '../../base/lib/failure.ts'
import { BYTES_MAX, bytesOf, type Manifest } from '../../govern/manifests/manifest.ts'
import type { Conversion, Converted } from './openapi/convert.ts'
import { ACTIONS_MAX } from './openapi/select.ts'
import type { Tier, TIERS } from '../../base/catalog/kinds.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { type ActionDescription, describeActions, vouches } from '../../govern/manifests/describe.ts'
import { findLatest, loadVersion } from '../../govern/manifests/load.ts'
import { readGovernance } from '../../govern/governance/governance.ts'
import { nodeIdOf } from './openapi/names.ts'
import { nextVersion } from './openapi/next-version.ts'
import { reportOf } from './openapi/report.ts'
import { UnusableDocument } from './openapi/unusable.ts'

/** `group`: the first of the document when absent. Throws 422 for one that the document does not have. */
export async function previewManifest(ctx: Context, connector: Documented, group?: string) {
  const { document_sha256, ...conversion } = await conversionOf(connector)
  const { operations: all, skipped } = conversion
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
    operations_simplified: all
      .filter(({ simplifications }) => simplifications.length > 0)
      .map(({ operation, simplifications }) => ({ operation, reasons: simplifications })),
    report: reportOf(conversion),
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

/** The first operations, as many as fit into one manifest. */
function fitting(operations: readonly Converted[]): Converted[] {
  let left = BYTES_MAX - MEMBERS_BYTES
  return operations.slice(0, ACTIONS_MAX).filter(({ endpoint }) => {
    left -= Buffer.byteLength(JSON.stringify(endpoint)) + 1
    return left >= 0
  })
}

/** A connector with the text of its document. */
export type Documented = { id: string; name: string; base_url: string; document: string }

/** Loaded with the first document. */
const converter = () => Promise.all([import('./openapi/convert.ts'), import('./openapi/read-document.ts')])

export async function conversionOf({
  id,
  base_url,
  document,
}: Documented): Promise<Conversion & { document_sha256: string }> {
  const [{ convert }, { readDocument }] = await converter()
  try {
    return { ...convert(await readDocument(document), id, base_url), document_sha256: sha256Hex(document) }
  } catch (error) {
    if (!(error instanceof UnusableDocument)) throw error
    throw conflict(`The OpenAPI document of this connector ${error.message}. Give it another document.`)
  }
}

const NAME_MAX = 120

/** The manifest that these operations make. `unchanged`: the node has these actions already. */
export async function manifestOf(ctx: Context, connector: Documented, group: string, operations: readonly Converted[]) {
  const id = nodeIdOf(connector.id, group)
  const endpoints = operations.map(({ endpoint }) => endpoint)
  const { latest } = await findLatest(ctx.table, ctx.space, id)
  const version = await freeVersion(ctx, id, nextVersion(latest?.node, endpoints))
  const { email, persons, id: principal } = ctx.principal
  const manifest: Manifest = {
    protocol_version: '1.0',
    node: {
      id,
      name: `${connector.name}: ${group.replaceAll('_', ' ')}`.slice(0, NAME_MAX),
      version: version ?? latest?.node.version ?? '1.0.0',
      owner: (email ?? persons[0] ?? principal).slice(0, NAME_MAX),
      category: 'integration',
      endpoints,
    },
  }
  return { manifest, bytes: bytesOf(manifest), unchanged: version === undefined }
}

/** The version, or the next one that nobody has registered: one that waited for approval in vain is there already. */
async function freeVersion(ctx: Context, id: string, version: string | undefined): Promise<string | undefined> {
  if (version === undefined || !(await loadVersion(ctx.table, ctx.space, id, version))) return version
  const [major = '1', minor = '0', patch = '0'] = version.split('.')
  return freeVersion(ctx, id, `${major}.${minor}.${Number(patch) + 1}`)
}

/** How the tenant's settings and words classify the actions of a manifest when the caller registers it. */
async function classifier({ table, space, principal }: Context) {
  const governance = await readGovernance(table, space)
  const kindIsVouched = vouches(principal)
  return (manifest: Manifest) => describeActions(manifest, { ...governance, kindIsVouched })
}

function countByTier(actions: readonly ActionDescription[]): Record<Tier, number> {
  const counts = { AUTO: 0, SOFT: 0, HARD: 0 } satisfies Record<(typeof TIERS)[number], number>
  for (const { tier } of actions) counts[tier] += 1
  return counts
}
