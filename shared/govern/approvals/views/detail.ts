// The detail of one approval, as a person reads it before they vote.
import type { Context } from '../../../base/context.ts'
import type { Execution } from '../../executions/execution.ts'
import { openExecution } from '../../executions/sealed/open-execution.ts'
import { visibleNow } from '../../executions/sealed/visible.ts'
import { notFound } from '../../../base/lib/failure.ts'
import { type LoadedVersion, loadVersion } from '../../manifests/load.ts'
import { type Approval, approvals } from '../approval.ts'
import { dependenceOf } from '../votes/voters.ts'
import { type BoundAction, boundAction } from '../hold.ts'
import { endedAccess } from '../revoked-access.ts'
import { approvalWithEvidence } from '../evidence.ts'

/** An approval with the description and the exact payload of the held action. */
export async function approvalDetailView(ctx: Context, id: string) {
  const approval = await ctx.table.get(approvals, { ...ctx.space, id })
  if (!approval) throw notFound('approval')
  const [{ execution, opened, salt }, manifest, limits, moot] = await Promise.all([
    visibleNow(ctx, openExecution(ctx, approval.request_id)),
    loadVersion(ctx.table, ctx.space, approval.node_id, approval.version),
    approval.limits ? limitsNow(ctx, approval) : [],
    mayStillRun(approval) ? endedAccess(ctx.table, ctx.space, approval) : undefined,
  ])
  const [shown, grant, changed, raised, repeats] = await Promise.all([
    approvalWithEvidence(ctx, approval, execution),
    approval.status === 'pending' ? grantNow(ctx, approval, execution) : undefined,
    approval.status === 'pending' ? changedNow(ctx, approval, manifest) : undefined,
    dependenceOf(ctx, approval),
    repeatsNow(ctx, approval),
  ])
  return {
    ...shown,
    action_description: manifest?.endpoints.get(approval.action_id)?.description,
    binding: bindingOf(approval, execution, manifest?.stored.manifest_sha256),
    limits,
    ...(grant && { grant }),
    ...(changed && { changed_since: changed }),
    ...(repeats.length > 0 && { repeats }),
    ...(raised && { raised }),
    ...(moot !== undefined && { moot }),
    payload: opened.payload,
    // With a redacted payload, the salt would only help to guess the redacted values.
    payload_salt: salt && !opened.redacted ? Buffer.from(salt).toString('hex') : null,
  }
}

const mayStillRun = ({ status, consumed_at }: Approval) =>
  status === 'pending' || (status === 'approved' && consumed_at === undefined)

/** An approval that was superseded bound another version and other policies than its execution has now. */
const bindingOf = (
  approval: Approval,
  execution: Execution,
  manifest_sha256 = execution.manifest_sha256,
): BoundAction => {
  const { version, policy_set_version } = approval
  return { ...boundAction(execution, approval), version, policy_set_version, manifest_sha256 }
}

/** Only for an approval that waits. */
async function changedNow(ctx: Context, approval: Approval, manifest: LoadedVersion | undefined) {
  const { changedSince } = await import('./comparison.ts')
  return manifest && changedSince(ctx, approval, manifest)
}

const repeatsNow = async (ctx: Context, approval: Approval) =>
  (await import('./comparison.ts')).repeatsOf(ctx, approval)

/** Loaded only where a policy asked. */
async function grantNow(ctx: Context, approval: Approval, execution: Execution) {
  if (approval.policy_ids.length === 0) return undefined
  const { allowedNow } = await import('../grants/allowed-repeats.ts')
  return allowedNow(ctx, approval, execution)
}

/** Loaded only where a limit was reached. */
async function limitsNow(ctx: Context, approval: Approval) {
  const { reachedNow } = await import('../../limits/current-limits.ts')
  const { requested_by, persons, agent_id, agent_bound } = approval
  return reachedNow(ctx, approval, { ...requested_by, persons, agent_id, agent_bound })
}
