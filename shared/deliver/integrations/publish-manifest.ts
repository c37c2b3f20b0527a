// Publishes operations of a connector as nodes. Each node is registered in a transaction of its own, so that a repeat of a
// request that was interrupted continues where it ended.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { BYTES_MAX, type Manifest } from '../../govern/manifests/manifest.ts'
import { type Registered, registerManifest } from '../../govern/protocol/register-manifest.ts'
import { select, type Selection, tooMany } from './openapi/select.ts'
import { conversionOf, type Documented, manifestOf } from './preview-manifest.ts'

export type Publication = Selection & { document_sha256?: string | undefined; listing_tier?: string | undefined }

type PublishedNode = {
  node_id: string
  version: string
  actions: number
  status: Registered['status'] | 'unchanged'
  execution_id?: string
  approval_id?: string
}

/**
 * Registers the chosen operations, a node for each group; a node may wait for an approval. Throws 409 for another document than
 * the caller has seen, and when nothing has changed; 422 for operations that do not fit into a manifest. All groups are checked
 * before the first is registered. If the process dies between two, a repeat finds the first ones `unchanged`.
 */
export async function publishManifest(ctx: Context, connector: Documented, publication: Publication) {
  const { document_sha256 = '', listing_tier = 'development' } = publication
  const conversion = await conversionOf(connector)
  if (document_sha256 && document_sha256 !== conversion.document_sha256)
    throw conflict('The document has changed since you have seen it. Read the manifest again.')
  const chosen = [...select(conversion, publication)]
  const prepared = await Promise.all(
    chosen.map(async ([group, operations]) => ({ group, ...(await manifestOf(ctx, connector, group, operations)) })),
  )
  for (const { group, bytes } of prepared)
    if (bytes > BYTES_MAX) throw tooMany(`the operations of group ${group} have ${bytes} bytes`)
  if (prepared.every(({ unchanged }) => unchanged))
    throw conflict('These operations are published already, and nothing of them has changed.')
  const nodes: PublishedNode[] = []
  for (const { manifest, unchanged } of prepared) {
    const { id: node_id, version, endpoints } = manifest.node
    const made = unchanged ? { status: 'unchanged' as const } : await register(ctx, manifest, listing_tier)
    const waits =
      made.status === 'pending_approval' ? { execution_id: made.execution_id, approval_id: made.approval_id } : {}
    nodes.push({ node_id, version, actions: endpoints.length, status: made.status, ...waits })
  }
  return { nodes }
}

const register = (ctx: Context, manifest: Manifest, listing_tier: string) =>
  registerManifest(ctx, { manifest, registry: { listing_tier, rotate_signing_secret: false } })
