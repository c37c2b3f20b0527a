// Stores submitted evidence. Evidence with a file waits for the upload; all other is submitted at once. A submitted piece comes
// with the task to decide on it, of which there is at most one: its id follows from that of the submission.
import type { Context } from '../../base/context.ts'
import { artifactKey, artifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { storedTexts } from '../../govern/governance/pii/stored-text.ts'
import type { SubmissionBody } from './submission-body.ts'
import { beginSubmission, moveSubmission, subjectOf } from './submission-artifact.ts'
import { findSubmission, givenUpAt, statusAt, type Submission, SUBMISSION_STATES, submissions } from './submission.ts'
import type { Proven } from '../../ledger/evidence/artifact/lifecycle.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { checkUpload, removeUpload } from './upload.ts'
import { openTask } from '../../govern/tasks/open-task.ts'
import type { TaskParts } from '../../govern/tasks/store-task.ts'

const SALT_BYTES = 32

/**
 * Stores a piece of evidence for the controls that it names, in one commit with the task to decide on it. Throws 422 for an unknown
 * control or an artifact of another tenant. The submitter and all persons behind the credential come from the request's principal,
 * never from the body, because they must not decide on it. A file is only announced here; `completeUpload` submits the piece.
 */
export async function submitEvidence(ctx: Context, body: SubmissionBody): Promise<Stored<Submission>> {
  const at = ctx.now()
  if (body.collected_at !== undefined && Date.parse(body.collected_at) > at)
    throw invalid(['collected_at'], 'must not be in the future')
  const { mustKnowControls } = await import('./known-controls.ts') // with the catalogue, which is large
  mustKnowControls(body)
  if (body.artifact_id !== undefined) await mustBeOwnArtifact(ctx, body.artifact_id)
  const { title, description, statement } = body
  const { principal } = ctx
  const next = {
    ...ctx.space,
    ...body,
    ...(await storedTexts(ctx, { title, description, statement })),
    id: ctx.id('evd'),
    status: body.source === 'file' ? ('awaiting_upload' as const) : ('submitted' as const),
    collected_at: body.collected_at ?? iso(at),
    submitted_by: { type: principal.kind, id: principal.id },
    submitted_at: iso(at),
    persons: [...principal.persons],
    salt: Buffer.from(ctx.random(SALT_BYTES)).toString('hex'),
  }
  return retryWhenChanged(async () => {
    const made = beginSubmission(ctx, next, at)
    await storeSubmitted(ctx, made)
    return made.item
  })
}

async function mustBeOwnArtifact(ctx: Context, id: string): Promise<void> {
  const found = await ctx.table.get(artifacts, artifactKey(ctx.space, id))
  if (!found) throw invalid(['artifact_id'], 'is no artifact of this tenant')
}

/** Commits a new submission, or one whose file has arrived. A complete one comes with the task to decide on it. */
async function storeSubmitted(ctx: Context, { item, write, transition }: Proven<Submission>): Promise<void> {
  const task = item.status === 'submitted' ? await openReview(ctx, item) : undefined
  const evidence = commitWith(ctx, [transition, ...(task?.transitions ?? [])], { mails: task?.mails ?? [] })
  await ctx.table.commit([write, ...(task?.writes ?? []), ...evidence], item.id)
}

export type Completed = { submission: Stored<Submission>; repeated: boolean }

/**
 * Accepts the uploaded file and submits the piece, if the bucket holds exactly the announced bytes. Any other file is removed
 * without a record. A repeat changes nothing. Throws 409 when the file is missing, is another one or comes too late.
 */
export const completeUpload = (ctx: Context, id: string): Promise<Completed> =>
  retryWhenChanged(() => complete(ctx, id))

async function complete(ctx: Context, id: string): Promise<Completed> {
  const was = await findSubmission(ctx, id)
  if (!was.file || hasArrived(was)) return { submission: was, repeated: true }
  const at = ctx.now()
  mustAllowMove(SUBMISSION_STATES, statusAt(was, at), 'submitted')
  const uploaded = await checkUpload(was, was.file)
  if (!uploaded) throw conflict('The file has not been uploaded. Upload it first.')
  if (!uploaded.matches) {
    await removeUpload(was, uploaded)
    throw conflict(
      'The uploaded file was removed, because its size or SHA-256 is not the announced one. Upload the announced file.',
    )
  }
  const made = moveSubmission(ctx, was, 'submitted', {}, at)
  await storeSubmitted(ctx, made)
  return { submission: made.item, repeated: false }
}

/** A rejection without a decision means that no file arrived. */
const hasArrived = ({ status, decision }: Submission): boolean =>
  decision !== undefined || (status !== 'awaiting_upload' && status !== 'rejected')

export const reviewTaskId = (id: string): string => id.replace('evd_', 'tsk_')

/** Part of the commit that submits it, inside `retryWhenChanged`. Nobody gets it who could have submitted the evidence. */
const openReview = (ctx: Context, submission: Submission): Promise<TaskParts> =>
  openTask(ctx, {
    id: reviewTaskId(submission.id),
    title: `Decide on evidence: ${submission.title}`,
    kind: 'evidence_review',
    source: subjectOf(submission),
    except: submission.persons,
  })

/**
 * Rejects submitted evidence whose file did not arrive in time, and removes any file from the bucket, because it can no longer be
 * submitted. Does nothing before the time is over, or when the file was accepted.
 */
export async function giveUpUpload(ctx: Context, id: string): Promise<void> {
  const was = await ctx.table.get(submissions, { ...ctx.space, id })
  const at = ctx.now()
  if (was?.status !== 'awaiting_upload' || at < givenUpAt(was)) return
  await removeUpload(was)
  const { write, transition } = moveSubmission(ctx, was, 'rejected', {}, at)
  await ctx.table.commit([write, ...commitWith(ctx, [transition])])
}
