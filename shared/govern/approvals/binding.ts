// Whether an action may still run under its approval: it must be exactly the requested action, and the policies in force must neither
// forbid it nor require more approval than it has.
import type { Context } from '../../base/context.ts'
import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import { decideAgain, type Decided, type SecondDecision } from '../executions/reevaluate.ts'
import type { OpenExecution } from '../executions/sealed/open-execution.ts'
import type { Refusal } from '../executions/events.ts'
import { alarm } from '../../base/lib/log.ts'
import type { LimitCheck } from '../limits/counting.ts'
import { builtInNode } from '../manifests/load.ts'
import { endpointHash, nodeHeads } from '../manifests/node.ts'
import { isFreeze } from '../governance/freeze.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import type { Write } from '../../base/table/entity.ts'
import { governancePointers } from '../../base/tenant/tenant.ts'
import { AGES } from '../executions/evaluate-action.ts'
import { digestOf } from './hold.ts'
import type { VoteInputs } from './inputs.ts'
import type { Decision } from '../governance/decide/evaluate.ts'
import type { Approval, Stage } from './approval.ts'
import { conflict } from '../../base/lib/failure.ts'

/** An approval and the present state of everything it is bound to. */
export type ApprovedAction = VoteInputs & Omit<OpenExecution, 'execution'>

/** Why an action may not run as approved: it is refused, or must be held again under a new decision. */
export type ClaimRefusal = { reason: string } & ({ refusal: Refusal } | { again: Decided })

/** Why the action may not run, or the limits that it counts against if it does. */
export type Reevaluation = { refusal?: ClaimRefusal; counting?: LimitCheck | undefined }

/**
 * Decides on the action again, under the present policies, with the requester and origin of the original request. Returns a refusal if it
 * is not the requested action any more, its requester lost access, or policies, definition or limits now ask for more. Stores nothing:
 * the commit that uses the result needs `basisChecks`.
 */
export async function reevaluate(ctx: Context, binding: ApprovedAction): Promise<Reevaluation> {
  const { payload } = binding.opened
  if (!payload) return { refusal: mismatch('the payload was erased') }
  if (!isSame(binding)) return { refusal: mismatch('the stored action is not the requested one') }
  if (binding.ended !== undefined) return { refusal: refusedBy('requester', binding.ended) }
  const again = await decideAgain(ctx, { ...binding, ages: await agesNow(ctx, binding) }, payload)
  const refusal = refusalBy(binding, again, await changeOf(ctx, binding))
  return refusal ? { refusal } : { counting: 'counting' in again ? again.counting : undefined }
}

/** Loaded only where a policy reads them. */
async function agesNow(ctx: Context, { governance, held }: ApprovedAction) {
  const { reads } = governance.set
  if (!AGES.some((fact) => reads.has(fact))) return undefined
  return (await import('./repeats.ts')).agesAgain(ctx, held)
}

function refusalBy(
  binding: ApprovedAction,
  again: SecondDecision,
  changed: string | undefined,
): ClaimRefusal | undefined {
  if ('refusal' in again) {
    const reason = isFreeze(again.refusal) ? again.refusal.message : (changed ?? 'the action is now forbidden')
    return { reason, refusal: again.refusal }
  }
  if (changed) return { reason: changed, again }
  if (isBeyondApproved(binding, again)) return { reason: 'a limit was reached since', again }
  if (isCovered(binding.held, again.decision)) return undefined
  return { reason: 'the policies now require more approval', again }
}

/** Whether a limit is reached that the approver did not see: the approval covers only the limits that it lists. */
const isBeyondApproved = ({ held }: ApprovedAction, { decision, counting }: Decided): boolean =>
  decision.fired.some(
    ({ policy_id, effect }) =>
      effect === 'require_approval' && counting?.over.get(policy_id) && !held.policy_ids.includes(policy_id),
  )

const mismatch = (reason: string): ClaimRefusal => refusedBy('binding', reason)

const refusedBy = (policy_id: string, reason: string): ClaimRefusal => ({
  reason,
  refusal: { policy_id, message: reason },
})

function isSame({ held, execution, opened, salt }: ApprovedAction): boolean {
  const commitment = salt && hex(payloadCommitment(salt, opened.payload))
  if (commitment !== undefined && digestOf(execution, held, commitment) === held.action_digest) return true
  alarm('approval_digest_mismatch', 'the stored action does not match its digest', { approval: held.id })
  return false
}

async function changeOf(ctx: Context, binding: ApprovedAction): Promise<string | undefined> {
  const { governance, held } = binding
  if (governance.policy_set_version !== held.policy_set_version) return 'the policies changed'
  return (await isSameDefinition(ctx, binding)) ? undefined : 'the definition of the action changed'
}

/**
 * Whether the latest version defines the action as the approved one does. What a version changes of other actions ends no approval:
 * otherwise anybody who may register versions could keep every action of a node from being approved.
 */
async function isSameDefinition(ctx: Context, { execution, action, pinned }: ApprovedAction): Promise<boolean> {
  if (action?.manifest_sha256 === execution.manifest_sha256) return true
  const was = pinned?.endpoints.get(execution.action_id)
  if (!action || !pinned || !was || endpointHash(was) !== endpointHash(action.endpoint)) return false
  const { sameHeaders } = await import('../manifests/open-target.ts')
  return sameHeaders(ctx, execution.node_id, pinned.stored.headers?.[execution.action_id], action.sealed_headers)
}

/**
 * Lets a commit fail when the basis of the decision has changed since it was read: policies, settings, freezes or the node's head. An
 * effect that replaces the pointer to the policies in force checks its revision itself.
 */
export function basisChecks(
  { space }: Context,
  { governance, execution, action }: ApprovedAction,
  replaces?: number,
): Write[] {
  if (replaces !== undefined && replaces !== governance.revision) throw new ChangedMeanwhile()
  const { node_id } = execution
  const { version } = action?.node ?? execution
  const { manifest_sha256 } = action ?? execution
  const latest = {
    expression: '#latest = :latest AND #sha = :sha',
    names: { '#latest': 'latest', '#sha': 'manifest_sha256' },
    values: { ':latest': version, ':sha': manifest_sha256 },
  }
  return [
    ...(replaces === undefined ? [governancePointers.stays(space, governance.revision, new ChangedMeanwhile())] : []),
    ...(builtInNode(node_id) ? [] : [nodeHeads.check({ ...space, node_id }, latest, new ChangedMeanwhile())]),
  ]
}

type Needed = Decision['stages'][number]

/** Whether an approval asked for at least what the decision requires now. Any approval covers what no policy requires. */
export function isCovered({ stages, allow_self }: Approval, { fired, escalate_to = [], ...needed }: Decision): boolean {
  if (!fired.some(({ effect }) => effect === 'require_approval')) return true
  if (allow_self && !needed.allow_self) return false
  return needed.stages.every((stage) => stages.some((given) => satisfies(given, stage, escalate_to)))
}

/** An escalation may have added groups. */
function satisfies(given: Stage, needed: Needed, escalate_to: readonly string[]): boolean {
  const widest = [...needed.groups, ...escalate_to]
  return (
    given.min_approvals >= needed.min_approvals &&
    (given.mode === 'each' || needed.mode === 'any') &&
    needed.groups.every((group) => given.groups.includes(group)) &&
    given.groups.every((group) => widest.includes(group))
  )
}

/** Like `supersede`; throws the 409 that says to the caller what became of the action. */
export async function refuseTo(ctx: Context, binding: ApprovedAction, refusal: ClaimRefusal): Promise<never> {
  const { supersede } = await import('./supersede.ts') // seldom needed
  const successor = await supersede(ctx, binding, refusal)
  const consequence = successor ? `Decide approval ${successor} instead.` : 'The action is now refused.'
  throw conflict(`This approval is no longer valid: ${refusal.reason}. ${consequence}`)
}
