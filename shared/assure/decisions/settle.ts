// What follows from accepted evidence, after the commit that accepted it: older pieces that it supersedes, the history
// of its controls, and the runs of the checks that look at it. All of it may be repeated; the sweeper does what was interrupted.
import type { Context } from '../../base/context.ts'
import { warn } from '../../base/lib/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { retryWhenChanged, unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { controlKey } from '../catalogue/framework-ids.ts'
import type { RequestedRun } from '../checks/request-run.ts'
import { type LinkNow, linksNow } from '../submissions/link.ts'
import { moveSubmission, touchSubmission } from '../submissions/submission-artifact.ts'
import { statusAt, type Submission, submissions } from '../submissions/submission.ts'
import { giveUpUpload } from '../submissions/submit.ts'

/** The checks of kind `evidence`, by the kind of evidence that they look for. */
export const EVIDENCE_CHECKS: Partial<Record<Submission['kind'], string>> = {
  access_review: 'IAM-08',
  restore_test: 'OPS-06',
  scan: 'OPS-07',
}

/** Settles within the request. A failure is only logged: the decision is committed, and the sweeper settles later. */
export async function settleSoon(ctx: Context, submission: Stored<Submission>): Promise<void> {
  if (!submission.unsettled) return
  await settle(ctx, submission).catch((error: unknown) => warn('evidence_not_settled', error, { id: submission.id }))
}

/**
 * Closes pieces that the accepted one supersedes, stores the moves of the controls, and last, in one commit, removes the mark
 * `unsettled` and requests the run. A crash leaves the mark, so the sweeper repeats all of it; repeating changes nothing.
 */
export async function settle(ctx: Context, submission: Stored<Submission>): Promise<void> {
  await supersede(ctx, submission)
  await storeHistory(ctx)
  const enqueue = await retryWhenChanged(async () => {
    const found = await ctx.table.get(submissions, submission)
    if (!found?.unsettled) return undefined
    const run = await checksOf(ctx, found)
    const { write } = touchSubmission(found, { unsettled: undefined })
    await ctx.table.commit([write, ...(run?.writes ?? [])])
    return run?.enqueue
  })
  await enqueue?.()
}

/** The moves of the controls that evidence began or ceases to speak for. */
async function storeHistory(ctx: Context): Promise<void> {
  const { storeMoves } = await import('../frameworks/store-moves.ts') // with the catalogue, which is large
  await storeMoves(ctx)
}

/** A run of the check that looks for evidence of this kind. */
async function checksOf(ctx: Context, { kind }: Submission): Promise<RequestedRun | undefined> {
  const check = EVIDENCE_CHECKS[kind]
  if (check === undefined) return undefined
  const { requestRun } = await import('../checks/request-run.ts') // with the catalogue, which is large
  return requestRun(ctx, { trigger: 'evidence', scope: [check] })
}

/** Closes pieces with a link at one of these controls, the accepted one included, that are superseded at all of their own. */
async function supersede(ctx: Context, { kind, control_refs }: Submission): Promise<void> {
  const links = (await linksNow(ctx, ctx.now())).filter((link) => link.kind === kind)
  const places = new Set(
    control_refs.map(({ framework_id, control_id }) => `${framework_id} ${controlKey(control_id)}`),
  )
  const touched = new Set(links.filter((link) => places.has(placeOf(link))).map(({ evidence_id }) => evidence_id))
  const held = new Set(links.filter(({ status }) => status !== 'superseded').map(({ evidence_id }) => evidence_id))
  const ids = [...touched].filter((id) => !held.has(id))
  const found = await ctx.table.getAll(
    submissions,
    ids.map((id) => ({ ...ctx.space, id })),
  )
  for (const was of found) if (was.status === 'accepted') await close(ctx, was, 'superseded')
}

const placeOf = ({ framework_id, control_key }: LinkNow): string => `${framework_id} ${control_key}`

/** The end of accepted evidence. If another process has stored it meanwhile, nothing is left to do. */
async function close(ctx: Context, was: Stored<Submission>, status: 'expired' | 'superseded'): Promise<void> {
  const { write, transition } = moveSubmission(ctx, was, status, { unsettled: undefined }, ctx.now())
  await unlessChangedMeanwhile(ctx.table.commit([write, ...commitWith(ctx, [transition])]))
}

/** Called by the sweeper when a piece is due: its upload is late, its acceptance was not settled, or it has expired. */
export async function sweepEvidence(ctx: Context, id: string): Promise<void> {
  const was = await ctx.table.get(submissions, { ...ctx.space, id })
  if (was?.status === 'awaiting_upload') return giveUpUpload(ctx, id)
  if (was?.status !== 'accepted') return
  if (was.unsettled) await settle(ctx, was)
  const now = await ctx.table.get(submissions, was)
  if (now?.status !== 'accepted' || statusAt(now, ctx.now()) !== 'expired') return
  await storeHistory(ctx) // first: once it is closed, nobody comes back for it
  await close(ctx, now, 'expired')
}
