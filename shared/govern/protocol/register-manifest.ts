// Registers one version of a node: the version, the node's head and the evidence in one transaction. Versions are
// immutable, and the head moves only forward.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { canonicalJson, given, sha256Hex } from '../../base/lib/json.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { mustBeInPerson } from '../../identity/access/assurance.ts'
import { users } from '../../identity/accounts/user.ts'
import { isFreeze } from '../governance/freeze.ts'
import { type ActionDescription, previewActions, vouches } from '../manifests/describe.ts'
import { REGISTRY_NODE_ID } from '../manifests/platform-nodes.ts'
import { versionMail } from './activate-version.ts'
import { isNewer, looseningNow } from './compare-version.ts'
import { newSecret } from '../../base/signing/signature.ts'
import type { Endpoint, Manifest, Registration } from '../manifests/manifest.ts'
import { type NodeHead, nodeHeads, type NodeVersion, nodeVersions } from '../manifests/node.ts'
import { nodeSecrets, targetHeaders } from '../manifests/open-target.ts'
import { reserveNames } from '../manifests/tool-name.ts'

const MASK = '********'
/** How long the former signing secret also signs. */
const ROTATION_OVERLAP_MS = 86_400_000

export type Registered = {
  node_id: string
  version: string
  manifest_sha256: string
  actions: ActionDescription[]
  warnings: string[]
  signing_secret?: string
} & ({ status: 'registered' } | { status: 'pending_approval'; execution_id: string; approval_id: string })

/**
 * Afterwards the version is stored for good, and in force if it is the newest. A version that loosens is in force at once only for a
 * person with `policies:write` in person; registered by others it waits, and the former version stays in force until such a person has
 * approved it (decision 0177). Throws 403 for a caller who neither owns the node nor writes policies, 409 for a version that exists.
 * Owner, digest and signing secret never come from the manifest. Of two registrations at once one gets a 409.
 */
export async function registerManifest(ctx: Context, { manifest, registry }: Registration): Promise<Registered> {
  const preview = await previewActions(ctx, manifest)
  const { node } = manifest
  const head = await ctx.table.get(nodeHeads, { ...ctx.space, node_id: node.id })
  if (head) await mustOwn(ctx, head)
  const exists = conflict(`Version ${node.version} of node ${node.id} already exists. Register a new version.`, {
    code: 'already_exists',
  })
  const loosens = head ? await looseningNow(ctx, head, { node, actions: preview.actions }) : []
  const waits = loosens.length > 0 && (await mustWait(ctx))
  await reserveNames(ctx, node)
  const version = await versionOf(ctx, manifest, registry.listing_tier)
  const { manifest_sha256 } = version
  const secret = await nextSecret(ctx, head, manifest, registry.rotate_signing_secret)
  const writes = () => [
    nodeVersions.insert(version, exists),
    moveHead(ctx, head, { ...version, secrets: secret.secrets, environment: node.environment }, waits),
    ...changed(
      ctx,
      [
        {
          action: 'manifest.registered',
          artifact: 'manifest.registered',
          subject: { type: 'node', id: node.id, name: node.name },
          of: { node_id: node.id, version: node.version },
          changes: waits ? [] : [{ path: 'version', ...(head && { before: head.latest }), after: node.version }],
          data: {
            manifest_sha256,
            ...(secret.created && { signing_secret_created: true }),
            ...(waits && { waits: true }),
          },
        },
      ],
      { mails: loosens.length > 0 && !waits ? [versionMail(ctx, loosens)] : [] },
    ),
  ]
  const made = {
    node_id: node.id,
    version: node.version,
    manifest_sha256,
    ...preview,
    ...(secret.created && { signing_secret: secret.created }),
  }
  if (!waits || !head) {
    await ctx.table.commit(writes(), `${node.id}@${node.version}`)
    return { ...made, status: 'registered' }
  }
  const { id, version: asked } = node
  const payload = { node_id: id, version: asked, manifest_sha256, replaces: head.latest, loosens: [...loosens] }
  return { ...made, status: 'pending_approval', ...(await askFor(ctx, payload, writes)) }
}

/** Whether a change that loosens waits. Throws 403 for a person who could make it, but not in person. */
async function mustWait(ctx: Context): Promise<boolean> {
  const { credential, permissions } = ctx.principal
  if (credential !== 'session' || !permissions.has('policies:write')) return true
  mustBeInPerson(ctx, await tenantOf(ctx.table, ctx.space.tenant_id))
  return false
}

async function askFor(ctx: Context, payload: JsonObject, writes: () => Write[]) {
  const { requestOwn } = await import('./request-platform-action.ts') // loads all of an execution, which most versions do not need
  const action = { node_id: REGISTRY_NODE_ID, action_id: 'loosen', payload, asked: {} }
  const { execution } = await requestOwn(ctx, action, (_, { rejection }) => (rejection ? [] : writes()))
  const { rejection, id: execution_id, held } = execution
  if (rejection) throw forbidden(rejection.detail, { code: isFreeze(rejection) ? 'frozen' : 'policy_rejected' })
  return { execution_id, approval_id: held?.id ?? '' }
}

/**
 * A node belongs to the person behind its first registration, and to those who write policies. After that person has left, anybody who
 * may register versions may change it. Nodes of the sandbox belong to all.
 */
async function mustOwn({ table, space, principal }: Context, { owner }: NodeHead): Promise<void> {
  if (space.mode === 'test' || owner === undefined || vouches(principal)) return
  if (principal.id === owner || principal.persons.includes(owner)) return
  const user = await table.get(users, { tenant_id: space.tenant_id, id: owner })
  if (user?.status !== 'active') return
  throw forbidden(
    'This node belongs to somebody else. Ask them, or a person with policies:write, to register the version.',
    {
      lacks: 'policies:write',
    },
  )
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

/** The head names the highest version, not the one that was registered last. */
function moveHead(
  ctx: Context,
  head: Stored<NodeHead> | undefined,
  version: NodeVersion & Pick<NodeHead, 'secrets' | 'environment'>,
  waits: boolean,
) {
  const { node_id, secrets, created_at: now } = version
  const said = version.trusted && { environment: version.environment }
  if (!head) {
    const { version: latest, manifest_sha256 } = version
    const lost = conflict(`Another request is registering node ${node_id}. Try again.`)
    const owner = ctx.principal.persons[0]
    const dates = { created_at: now, updated_at: now }
    const fresh = { ...ctx.space, node_id, latest, manifest_sha256, secrets, ...said, ...given({ owner }), ...dates }
    return nodeHeads.insert(fresh, lost)
  }
  const moves = !waits && isNewer(version.version, head)
  const latest = moves ? { latest: version.version, manifest_sha256: version.manifest_sha256, ...said } : {}
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
