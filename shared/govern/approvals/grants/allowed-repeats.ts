// Whether approvers may allow the same action for a while, and for how long.
import type { Context } from '../../../base/context.ts'
import { type Governance, readGovernance } from '../../governance/governance.ts'
import { grantOf, type GrantRule, needsApprovalEach } from '../../governance/rule-terms.ts'
import type { Execution } from '../../executions/execution.ts'
import { builtInNode } from '../../manifests/load.ts'
import type { Approval } from '../approval.ts'

type Asking = { governance: Pick<Governance, 'set'>; held: Approval; execution: Execution }

/** The policies that asked for the approval. */
export const askingOf = ({ governance, held }: Asking) =>
  governance.set.policies
    .map(({ policy }) => policy)
    .filter(({ policy_id, effect }) => effect === 'require_approval' && held.policy_ids.includes(policy_id))

/** The terms that approvers may allow; undefined if each action needs an approval. */
export function allowedRepeats(asking: Asking): GrantRule | undefined {
  const { held, execution } = asking
  const isOnce = needsApprovalEach(held.kind) || builtInNode(held.node_id) || execution.undo_of !== undefined
  return isOnce ? undefined : grantOf(askingOf(asking))
}

/** As the policies are now. */
export const allowedNow = async ({ table, space }: Context, held: Approval, execution: Execution) =>
  allowedRepeats({ governance: await readGovernance(table, space), held, execution })
