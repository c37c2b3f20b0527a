// Registers one version of a node: the version, the node's head and the evidence in one transaction. Versions are
// immutable, and the head moves only forward.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import { sortableVersion } from '../../base/lib/semver.ts'
import type { Stored } from '../../base/table/entity.ts'
import { newSecret } from '../../base/signing/secret.ts'
import type { Endpoint, Manifest, Registration } from './manifest.ts'
import { type NodeHead, nodeHeads, type NodeVersion, nodeVersions } from './node.ts'
import { nodeSecrets, targetHeaders } from './open-target.ts'
import { previewActions, vouches } from './preview.ts'
import { reserveNames } from './reserve-names.ts'

const MASK = '********'
/** How long the former signing secret also signs. */
const ROTATION_OVERLAP_MS = 86_400_000

export async function registerManifest(ctx: Context, { manifest, registry }: Registration) {
  const preview = await previewActions(ctx, manifest)
  const { node } = manifest
  const head = await ctx.table.get(nodeHeads, { ...ctx.space, node_id: node.id })
  const exists = conflict(`Version ${node.version} of node ${node.id} already exists. Register a new version.`, {
    code: 'already_exists',
  })
  await reserveNames(ctx, node)
  const version = await versionOf(ctx, manifest, registry.listing_tier)
  const { manifest_sha256 } = version
  const secret = await nextSecret(ctx, head, manifest, registry.rotate_signing_secret)
  await ctx.table.commit(
    [
      nodeVersions.insert(version, exists),
      moveHead(ctx, head, { ...version, secrets: secret.secrets, environment: node.environment }),
      ...changed(ctx, [
        {
          action: 'manifest.registered',
          artifact: 'manifest.registered',
          subject: { type: 'node', id: node.id, name: node.name },
          of: { node_id: node.id, version: node.version },
          changes: [{ path: 'version', ...(head && { before: head.latest }), after: node.version }],
          data: { manifest_sha256, ...(secret.created && { signing_secret_created: true }) },
        },
      ]),
    ],
    `${node.id}@${node.version}`,
  )
  return {
    node_id: node.id,
    version: node.version,
    status: 'registered' as const,
    manifest_sha256,
    ...preview,
    ...(secret.created && { signing_secret: secret.created }),
  }
}

async function versionOf(ctx: Context, manifest: Manifest, listing_tier: string): Promise<NodeVersion> {
  const { node } = manifest
  return {
    ...ctx.space,
    node_id: node.id,
    version: node.version,
    manifest: canonicalJson({ ...manifest, node: { ...node, endpoints: node.endpoints.map(masked) } }),
    manifest_sha256: sha256Hex(canonicalJson(manifest)),
    listing_tier,
    headers: await sealedHeaders(ctx, manifest),
    trusted: vouches(ctx.principal),
    registered_by: { type: ctx.principal.kind, id: ctx.principal.id },
    created_at: iso(ctx.now()),
  }
}

/** The version that the head names is the highest one, whatever the order of registration. */
function moveHead(
  ctx: Context,
  head: Stored<NodeHead> | undefined,
  version: NodeVersion & Pick<NodeHead, 'secrets' | 'environment'>,
) {
  const { node_id, secrets, created_at: now } = version
  const said = version.trusted && { environment: version.environment }
  if (!head) {
    const { version: latest, manifest_sha256 } = version
    const lost = conflict(`Another request is registering node ${node_id}. Try again.`)
    const fresh = { ...ctx.space, node_id, latest, manifest_sha256, secrets, ...said, created_at: now, updated_at: now }
    return nodeHeads.insert(fresh, lost)
  }
  const newer = sortableVersion(version.version) > sortableVersion(head.latest)
  const latest = newer ? { latest: version.version, manifest_sha256: version.manifest_sha256, ...said } : {}
  const lost = conflict(`Another request has changed node ${node_id}. Try again.`, { code: 'version_conflict' })
  return nodeHeads.replace({ ...head, ...latest, secrets, updated_at: now }, head, lost)
}

/** Header values may hold credentials of the target: shown and stored masked, sealed beside the manifest. */
function masked(endpoint: Endpoint): Endpoint {
  const { target } = endpoint
  if (target?.type !== 'http' || !target.headers) return endpoint
  const headers = Object.fromEntries(Object.keys(target.headers).map((name) => [name, MASK]))
  return { ...endpoint, target: { ...target, headers } }
}

async function sealedHeaders(ctx: Context, { node }: Manifest): Promise<NodeVersion['headers']> {
  const at = nodeHeads.key({ ...ctx.space, node_id: node.id })
  const withHeaders = node.endpoints.flatMap(({ action_id, target }) =>
    target?.type === 'http' && target.headers ? [{ action_id, headers: target.headers }] : [],
  )
  if (withHeaders.length === 0) return undefined
  const sealed = withHeaders.map(async ({ action_id, headers }) => {
    return [action_id, await targetHeaders.seal(ctx.space, at, JSON.stringify(headers))] as const
  })
  return Object.fromEntries(await Promise.all(sealed))
}

/** A node gets a signing secret with its first target, and a new one on request. It is shown only then. */
async function nextSecret(ctx: Context, head: NodeHead | undefined, { node }: Manifest, rotate: boolean) {
  const former = head?.secrets ?? []
  const needed = node.endpoints.some(({ target }) => target?.type === 'http') && (former.length === 0 || rotate)
  if (!needed) return { secrets: former, created: undefined }
  const created = newSecret(ctx.random)
  const at = nodeHeads.key({ ...ctx.space, node_id: node.id })
  const current = { id: ctx.id('sec'), sealed: await nodeSecrets.seal(ctx.space, at, created) }
  const expires_at = iso(ctx.now() + ROTATION_OVERLAP_MS)
  const overlapping = former.slice(0, 1).map((secret) => ({ ...secret, expires_at }))
  return { secrets: [current, ...overlapping], created }
}
