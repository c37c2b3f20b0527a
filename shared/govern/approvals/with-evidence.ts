// Compares approvals with the evidence of their executions before they are shown. Votes and decider of an approval that the
// evidence contradicts are left out, because a flag beside a name is easily overlooked.
import type { Context } from '../../base/context.ts'
import { type Reference, readReferencedArtifacts } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { alarmDiffering, type RowEvidence, rowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import { type Execution, executions } from '../executions/execution.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Approval } from './approval.ts'
import { contradictionsOf } from './contradictions.ts'
import { changedSinceRead } from './changed-since-read.ts'
import { type ApprovalSlaView, approvalSlaView } from './sla.ts'

/** With the SLA as it stands now. */
export type WithEvidence = Omit<Approval, 'sla'> & RowEvidence & { sla: ApprovalSlaView | undefined }

const isAbout = ({ type }: Reference): boolean => type === 'action.requested' || type.startsWith('approval.')

export async function withEvidence(ctx: Context, approvals: readonly Stored<Approval>[]): Promise<WithEvidence[]> {
  const keys = approvals.map(({ request_id }) => ({ ...ctx.space, id: request_id }))
  return withEvidenceOf(ctx, approvals, await ctx.table.getAll(executions, keys))
}

/** The same when the executions were already read. */
export async function withEvidenceOf(
  ctx: Context,
  approvals: readonly Stored<Approval>[],
  found: readonly Execution[],
): Promise<WithEvidence[]> {
  const evidence = await evidenceOf(ctx, approvals, found)
  const suspects = approvals.filter((_, index) => evidence[index]?.evidence_status === 'differs')
  const moved = await changedSinceRead(ctx, suspects)
  const again = new Map((await readAgain(ctx, [...moved.values()])).map((one) => [one.id, one]))
  return approvals.map(
    (approval, index) => again.get(approval.id) ?? withoutContradicted(ctx, approval, evidence[index]),
  )
}

const readAgain = async (ctx: Context, moved: readonly Stored<Approval>[]): Promise<WithEvidence[]> =>
  moved.length === 0 ? [] : withEvidence(ctx, moved)

async function evidenceOf(
  ctx: Context,
  approvals: readonly Approval[],
  found: readonly Execution[],
): Promise<RowEvidence[]> {
  const referenced = await readReferencedArtifacts(
    ctx,
    [...new Map(found.map((one) => [one.id, one])).values()],
    isAbout,
  )
  const rows = approvals.map((approval) => ({
    referenced: referenced.get(approval.request_id) ?? [],
    contradictions: (headers: Parameters<typeof contradictionsOf>[1]) => contradictionsOf(approval, headers),
  }))
  return rowEvidence(ctx, rows)
}

/** The same for one approval. */
export async function approvalWithEvidence(
  ctx: Context,
  approval: Stored<Approval>,
  execution: Execution,
): Promise<WithEvidence> {
  const [proven] = await withEvidenceOf(ctx, [approval], [execution])
  if (!proven) throw new Error('no evidence was compared with the approval')
  return proven
}

function withoutContradicted(ctx: Context, stored: Approval, evidence: RowEvidence | undefined): WithEvidence {
  const approval = { ...stored, sla: approvalSlaView(stored, ctx.now()) }
  const { evidence_status = 'differs', contradicted } = evidence ?? {}
  if (evidence_status !== 'differs') return { ...approval, evidence_status }
  alarmDiffering(approval.id, evidence)
  const { decided_by: _by, decided_at: _at, reason: _reason, method: _method, ...rest } = approval
  return { ...rest, votes: [], evidence_status, ...(contradicted && { contradicted }) }
}
