// Manifests as the API lists and shows them, and a walk over the latest version of every node.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { malformed, notFound } from '../../base/lib/failure.ts'
import { SEMVER } from '../../base/lib/names.ts'
import { findLatest, type LoadedVersion, loadVersion } from './load.ts'
import { type NodeHead, nodeHeads, nodesPartition, type NodeVersion, nodeVersions, versionsPartition } from './node.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { wholeRange } from '../../base/table/whole.ts'

export const ManifestView = z.object({
  node_id: z.string().describe('Id of the node.'),
  version: z.string().describe('Version of the manifest.'),
  manifest_sha256: z.string().describe('SHA-256 of the canonical manifest, hex.'),
  manifest: z.looseObject({}).describe('The manifest of the node.'),
  registry: z
    .object({ listing_tier: z.string().describe('The trust level of the node in the registry.') })
    .describe('The entry of the node in the registry.'),
  registered_by: z
    .object({ type: z.string().describe('What kind of caller it is.'), id: z.string().describe('Id of the caller.') })
    .describe('The caller that registered it.'),
  created_at: z.string().describe('When it was created.'),
})

export const VersionView = ManifestView.omit({ manifest: true })

const manifestVersionView = (stored: NodeVersion) => ({
  ...stored,
  manifest: JSON.parse(stored.manifest),
  registry: { listing_tier: stored.listing_tier },
})

/** The latest manifest of each node, in the order of node ids. */
export async function listManifests(ctx: Context, query: ListQuery) {
  const page = await paginate(ctx, 'protocol-list-manifests', query, {
    of: nodeHeads,
    descending: false,
    groups: [{ name: 'nodes', partitions: [nodesPartition(ctx.space)] }],
  })
  const ids = page.items.map(({ node_id, latest }: NodeHead) => ({ ...ctx.space, node_id, version: latest }))
  const versions = await ctx.table.getAll(nodeVersions, ids)
  return { ...page, items: versions.map(manifestVersionView) }
}

/** Newest first. */
export async function listVersions(ctx: Context, nodeId: string, query: ListQuery) {
  const page = await paginate(ctx, `protocol-list-manifest-versions/${nodeId}`, query, {
    of: nodeVersions,
    groups: [{ name: nodeId, partitions: [versionsPartition(ctx.space, nodeId)] }],
  })
  if (page.total === 0) throw notFound('node')
  return {
    ...page,
    items: page.items.map((stored) => ({ ...stored, registry: { listing_tier: stored.listing_tier } })),
  }
}

/** The highest version, or the given one. */
export async function findManifest({ table, space }: Context, nodeId: string, version: string | undefined) {
  if (version !== undefined && !SEMVER.test(version))
    throw malformed('These query parameters are not valid: version. Correct or remove them.')
  const found = version
    ? await loadVersion(table, space, nodeId, version)
    : (await findLatest(table, space, nodeId)).latest
  if (!found) throw notFound('node')
  return manifestVersionView(found.stored)
}

const MOST = 10_000
/** A version may have 262 KB. */
const AT_ONCE = 8

/** The results of a function for the latest version of every node that the tenant has registered. */
export async function ofLatestNodes<T>(
  { table, space }: Context,
  run: (of: LoadedVersion) => Promise<T>,
): Promise<T[]> {
  const heads = await wholeRange(table, nodeHeads, { pk: nodesPartition(space) }, MOST)
  return inParallel(AT_ONCE, heads, async ({ node_id, latest }) => {
    const loaded = await loadVersion(table, space, node_id, latest)
    if (!loaded) throw new Error(`version ${latest} of ${node_id} is gone`)
    return run(loaded)
  })
}
