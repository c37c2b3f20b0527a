// Opens the sealed secrets and headers that a call of a target needs.
import type { Context } from '../../base/context.ts'
import { textSeal } from '../../ledger/sealing/seal.ts'
import { iso } from '../../base/lib/clock.ts'
import type { LoadedAction } from './load.ts'
import { nodeHeads } from './node.ts'

/** Secrets and headers of a node are sealed at the place of its head, also those of a former version. */
export const nodeSecrets = textSeal('secrets')
export const targetHeaders = textSeal('headers')

const TIMEOUT_DEFAULT_MS = 10_000

/** Whether two versions of a node send the same headers. Their values are sealed, so no hash of a version covers them. */
export async function sameHeaders(
  { space }: Context,
  node_id: string,
  one: string | undefined,
  other: string | undefined,
): Promise<boolean> {
  if (one === other) return true
  if (one === undefined || other === undefined) return false
  const at = nodeHeads.key({ ...space, node_id })
  const [a, b] = await Promise.all([one, other].map((sealed) => targetHeaders.open(space, at, sealed)))
  return a === b
}

/** What a call of a target needs. */
export type Target = {
  url: string
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers: Record<string, string>
  timeout_ms: number
  /** The target honours `Idempotency-Key`, so a repeat is safe. */
  idempotent: boolean
  /** Signing secrets of the node, the current one first. */
  secrets: readonly [string, ...string[]]
}

/** The target of an action with everything opened that its call needs. */
export async function openTarget(ctx: Context, action: LoadedAction): Promise<Target> {
  const { node, endpoint, target, sealed_headers } = action
  if (target?.type !== 'http') throw new Error('the action has no target that is called by its address')
  const { space } = ctx
  const at = nodeHeads.key({ ...space, node_id: node.id })
  const instant = iso(ctx.now())
  const valid = action.secrets.filter(({ expires_at }) => !expires_at || expires_at > instant)
  const [secrets, headers] = await Promise.all([
    Promise.all(valid.map(({ sealed }) => nodeSecrets.open(space, at, sealed))),
    sealed_headers ? targetHeaders.open(space, at, sealed_headers) : '{}',
  ])
  const [current, ...former] = secrets
  if (!current) throw new Error('the node has no signing secret')
  return {
    url: target.url,
    method: target.method ?? 'POST',
    headers: JSON.parse(headers),
    timeout_ms: target.timeout_ms ?? TIMEOUT_DEFAULT_MS,
    idempotent: endpoint.idempotency ?? false,
    secrets: [current, ...former],
  }
}
