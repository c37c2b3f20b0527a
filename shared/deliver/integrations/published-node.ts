// The node of one group of a connector's operations.
import type { Tier, TIERS } from '../../base/catalog/kinds.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { type ActionDescription, describeActions, vouches } from '../../govern/manifests/describe.ts'
import { findLatest, loadVersion } from '../../govern/manifests/load.ts'
import { bytesOf, type Manifest } from '../../govern/manifests/manifest.ts'
import { readGovernance } from '../../govern/governance/governance.ts'
import { convert, type Conversion, type Converted } from './openapi/convert.ts'
import { nodeIdOf } from './openapi/names.ts'
import { nextVersion } from './openapi/next-version.ts'
import { readDocument, UnusableDocument } from './openapi/read-document.ts'

/** A connector with the text of its document. */
export type Documented = { id: string; name: string; base_url: string; document: string }

export async function conversionOf({
  id,
  base_url,
  document,
}: Documented): Promise<Conversion & { document_sha256: string }> {
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

/** How the tenant's settings and words classify the actions of a manifest, for whoever asks. */
export async function classifier({ table, space, principal }: Context) {
  const governance = await readGovernance(table, space)
  const kindIsVouched = vouches(principal)
  return (manifest: Manifest) => describeActions(manifest, { ...governance, kindIsVouched })
}

export function countByTier(actions: readonly ActionDescription[]): Record<Tier, number> {
  const counts = { AUTO: 0, SOFT: 0, HARD: 0 } satisfies Record<(typeof TIERS)[number], number>
  for (const { tier } of actions) counts[tier] += 1
  return counts
}
