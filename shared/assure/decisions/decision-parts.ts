// A decision on submitted evidence as the parts of a commit. The endpoint and the task of the review use the same ones.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { governancePointers } from '../../base/tenant/governance-pointer.ts'
import { findPointer, readSettings } from '../../govern/governance/settings.ts'
import { storedTextsUnder } from '../../govern/governance/pii/stored-text.ts'
import { raisersOf } from '../../identity/access/raised.ts'
import { among } from '../../identity/accounts/raise.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { controlKey, FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import { type Framework, frameworks } from '../frameworks/framework.ts'
import { evidenceLinks } from '../submissions/link.ts'
import { ARTIFACT_OF, artifactData, proven, subjectOf } from '../submissions/submission-artifact.ts'
import { type Decision, type Submission, SUBMISSION_STATES, submissions, statusAt } from '../submissions/submission.ts'
import { holdsAnnounced } from '../submissions/upload.ts'
import { isSelf, mustMayDecide, validUntil } from './rules.ts'

export type Verdict = Pick<Decision, 'decision' | 'reason'>

/** Throws 403 for whoever may not decide, 409 where there is nothing to decide on, or not what was submitted. */
export async function decisionParts(ctx: Context, was: Stored<Submission>, verdict: Verdict) {
  const pointer = await findPointer(ctx.table, ctx.space)
  const settings = readSettings(pointer)
  mustMayDecide(was, ctx.principal, settings)
  mustAllowMove(SUBMISSION_STATES, statusAt(was, ctx.now()), verdict.decision)
  if (verdict.decision === 'accepted') await mustBeAsSubmitted(ctx, was)
  const { reason } = await storedTextsUnder(settings, { reason: verdict.reason })
  const submission = await decided(ctx, was, { ...verdict, reason })
  const self = submission.decision.self ? [governancePointers.stays(ctx.space, pointer._v, new Overtaken())] : []
  const writes: Write[] = [
    submissions.replace(submission, was, new Overtaken()),
    ...linksOf(submission),
    ...self,
    ...changed(ctx, [changeOf(was, submission)]),
  ]
  return { submission: { ...submission, _v: was._v + 1 }, writes }
}

type Decided = Submission & { decision: Decision }

/** Nobody accepts what was changed in the table or in the bucket since it was submitted. */
async function mustBeAsSubmitted(ctx: Context, was: Submission): Promise<void> {
  const [isProven, isHeld] = await Promise.all([
    proven(ctx, [was]).then(({ length }) => length === 1),
    was.file ? holdsAnnounced(was, was.file) : true,
  ])
  if (isProven && isHeld) return
  const what = isProven ? 'stored file' : 'stored evidence'
  throw conflict(`The ${what} is not what was submitted. Reject it and submit the evidence again.`)
}

async function decided(ctx: Context, was: Submission, { decision, reason }: Verdict): Promise<Decided> {
  const { principal } = ctx
  const isAccepted = decision === 'accepted'
  const self = isSelf(was, principal)
  const raised_by = self ? [] : among(await raisersOf(ctx), was.persons)
  return {
    ...was,
    status: decision,
    decision: {
      decision,
      reason,
      by: { type: principal.kind, id: principal.id },
      at: iso(ctx.now()),
      ...(self && { self: true as const }),
      ...(raised_by.length > 0 && { raised_by }),
      ...(isAccepted && { valid_until: validUntil(was, await enabledOf(ctx, was)) }),
    },
    ...(isAccepted && { unsettled: true as const }),
    evidence_artifact_id: ctx.id('art'),
  }
}

async function enabledOf({ table, space }: Context, { control_refs }: Submission): Promise<Framework[]> {
  const named = FRAMEWORK_IDS.filter((id) => control_refs.some(({ framework_id }) => framework_id === id))
  const found = await table.getAll(
    frameworks,
    named.map((framework_id) => ({ ...space, framework_id })),
  )
  return found.filter(({ enabled }) => enabled)
}

/** One at each control, however often it is named. */
function linksOf(submission: Decided): Write[] {
  const { id, kind, title, collected_at, covers, statement, decision, control_refs, tenant_id, mode } = submission
  const { by, at, self, valid_until } = decision
  if (valid_until === undefined) return []
  const places = new Map(
    control_refs.map(({ framework_id, control_id }) => [
      `${framework_id} ${control_id}`,
      { framework_id, control_key: controlKey(control_id) },
    ]),
  )
  return [...places.values()].map((place) =>
    evidenceLinks.insert({
      tenant_id,
      mode,
      ...place,
      evidence_id: id,
      kind,
      title,
      collected_at,
      covers,
      valid_until,
      decided_by: by,
      decided_at: at,
      self,
      ...(kind === 'not_applicable_justification' && { statement }),
    }),
  )
}

const changeOf = (was: Submission, next: Decided) =>
  ({
    action: `evidence.${next.decision.decision}`,
    artifact: ARTIFACT_OF[next.decision.decision],
    artifact_id: next.evidence_artifact_id,
    subject: { ...subjectOf(next), name: next.title },
    data: artifactData(next),
    changes: [{ path: 'status', before: was.status, after: next.status }],
    reason: next.decision.reason,
  }) as const
