// The part that registration and validation of a manifest share: whether it can be used, and how each action will be classified
// under the tenant's present settings and words.
import type { Context, Principal } from '../../base/context.ts'
import { readGovernance } from '../governance/governance.ts'
import { Failure } from '../../base/lib/failure.ts'
import { describeActions } from './describe.ts'
import type { Manifest } from './manifest.ts'
import { mustBeUsable } from './must-be-usable.ts'
import { nodeHeads } from './node.ts'
import { nameViolations } from './tool-names.ts'
import { undoViolations } from './undo-rules.ts'

/** Whether declared kinds may loosen the classification: only when a person who may write policies registers them. */
export const vouches = ({ kind, permissions }: Principal): boolean =>
  kind === 'user' && permissions.has('policies:write')

const doesNotCount = (environment: string) =>
  `environment ${environment} does not count until a person who may write policies registers a version with it: policies that read node.environment cannot tell where the node runs, so those that tighten apply`

/** Throws the 422 of a manifest that cannot be used. */
export async function previewActions({ table, space, principal }: Context, manifest: Manifest) {
  const [governance, head] = await Promise.all([
    readGovernance(table, space),
    table.get(nodeHeads, { ...space, node_id: manifest.node.id }),
    mustBeUsable(manifest),
  ])
  const preview = describeActions(manifest, { ...governance, kindIsVouched: vouches(principal) })
  const violations = [...nameViolations(manifest.node), ...undoViolations(manifest.node, preview.actions)]
  if (violations.length > 0) throw new Failure('invalid', violations)
  const { environment } = manifest.node
  const counts = environment === undefined || vouches(principal) || head?.environment === environment
  return counts ? preview : { ...preview, warnings: [...preview.warnings, doesNotCount(environment)] }
}
