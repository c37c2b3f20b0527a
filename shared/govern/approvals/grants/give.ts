// An approval that also allows the same action for a while.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { conflict } from '../../../base/lib/failure.ts'
import type { Write } from '../../../base/table/entity.ts'
import { changed } from '../../../ledger/audit/changed.ts'
import { hex } from '../../../ledger/evidence/artifact/hashes.ts'
import { classifyAction } from '../../executions/payload.ts'
import type { Execution } from '../../executions/execution.ts'
import { needsApprovalEach } from '../../governance/rule-terms.ts'
import { allowedRepeats, askingOf } from './allowed-repeats.ts'
import type { Approval } from '../approval.ts'
import type { ApprovedAction } from '../binding.ts'
import { ceilingOf, grants, type NewGrant } from './grant.ts'
import type { VoteInputs } from '../inputs.ts'
import { counts, type Voter } from '../votes/rules.ts'

const SALT_BYTES = 16

/** Throws 409 for an action that nobody may allow for a while, and for a voter whose vote counts for want of others only. */
export function mustAllowRepeats(inputs: VoteInputs, { alone }: Voter): void {
  if (alone) throw conflict('Your vote counts only because nobody else can decide. Approve without allow_for_s.')
  if (needsApprovalEach(inputs.held.kind)) throw conflict('This kind needs an approval each time.')
  if (!allowedRepeats(inputs))
    throw conflict('The policies that asked for this approval permit no grant. Approve without allow_for_s.')
}

/**
 * The grant of an approval; undefined unless everybody whose vote counts allows repeats and is independent. The shortest of their times
 * applies. Payload, ceiling and policies come from the stored action, never from the vote.
 */
export async function newGrant(
  ctx: Context,
  binding: ApprovedAction & { approval: Approval },
): Promise<NewGrant | undefined> {
  const { approval, execution, action, governance, opened, held } = binding
  const votes = approval.votes.filter(counts)
  const times = votes.flatMap(({ allow_for_s }) => allow_for_s ?? [])
  if (times.length === 0 || times.length < votes.length) return undefined
  if (votes.some(({ raised_by }) => raised_by !== undefined)) return undefined
  const rule = allowedRepeats(binding)
  const { payload } = opened
  if (!rule || !action || !payload) return undefined
  const { inspection } = await classifyAction(action, payload, governance)
  const { pinKey, pinOf } = await import('./pin.ts') // like the classifier, which it needs
  const now = ctx.now()
  return {
    ...ctx.space,
    id: ctx.id('grt'),
    approval_id: approval.id,
    granted_by: votes.map(({ by }) => by),
    requested_by: execution.requested_by,
    ...(execution.client_id !== undefined && { client_id: execution.client_id }),
    ...(execution.agent_bound && { agent_id: execution.agent_id }),
    node_id: execution.node_id,
    action_id: execution.action_id,
    manifest_sha256: execution.manifest_sha256,
    policy_set_version: held.policy_set_version,
    policy_ids: askingOf(binding).map(({ policy_id }) => policy_id),
    ceiling: ceilingOf(inspection, held.risk),
    ...pinOf(await pinKey(ctx.space), { payload, rule, action }),
    max_uses: rule.max_uses,
    created_at: iso(now),
    expires_at: iso(now + Math.min(rule.max_s, ...times) * 1_000),
    salt: hex(ctx.random(SALT_BYTES)),
    uses: 0,
  }
}

/** `approved`: the execution after the vote, which names the artifact of the approval. */
export function grantWrites(ctx: Context, grant: NewGrant | undefined, approved: Execution): Write[] {
  const reference = approved.artifacts.findLast(({ type }) => type === 'approval.approved')
  if (!grant || !reference) return []
  const { id, approval_id, requested_by, node_id, action_id, max_uses, expires_at } = grant
  return [
    grants.insert({ ...grant, artifact_id: reference.artifact_id }),
    ...changed(ctx, [
      {
        action: 'grant.created',
        artifact: 'approval.grant.created',
        subject: { type: 'grant', id },
        of: { node_id, action_id },
        data: { approval_id, principal_id: requested_by.id, max_uses, expires_at },
      },
    ]),
  ]
}
