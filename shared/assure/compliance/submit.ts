// Stores submitted evidence. Evidence with a file waits for the upload; all other is submitted at once.
import type { Context } from '../../base/context.ts'
import { artifactKey, artifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid } from '../../base/lib/failure.ts'
import type { SubmissionBody } from './submission-body.ts'
import { submissionArtifact } from './submission-artifact.ts'
import { type Submission, submissions } from './submission.ts'

export async function submitEvidence(ctx: Context, body: SubmissionBody): Promise<Submission> {
  if (body.artifact_id !== undefined) await mustBeOwnArtifact(ctx, body.artifact_id)
  const id = ctx.id('evd')
  const at = ctx.now()
  const waits = body.source === 'file'
  const move = waits ? 'compliance.evidence.announced' : 'compliance.evidence.submitted'
  const artifact = submissionArtifact(ctx, move, { ...body, id }, at)
  const submission: Submission = {
    ...ctx.space,
    ...body,
    id,
    status: waits ? 'awaiting_upload' : 'submitted',
    collected_at: body.collected_at ?? iso(at),
    submitted_by: { type: ctx.principal.kind, id: ctx.principal.id },
    submitted_at: iso(at),
    evidence_artifact_id: artifact.artifact_id,
  }
  await ctx.table.commit([submissions.insert(submission), ...recorded(ctx, [{ artifact }])], id)
  return submission
}

async function mustBeOwnArtifact(ctx: Context, id: string): Promise<void> {
  const found = await ctx.table.get(artifacts, artifactKey(ctx.space, id))
  if (!found) throw invalid(['artifact_id'], 'is no artifact of this tenant')
}
