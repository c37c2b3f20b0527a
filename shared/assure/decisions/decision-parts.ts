// A decision on submitted evidence as the parts of a commit, which the endpoint and the task of the review share, and its rules:
// who may decide, and how long accepted evidence holds.
import { actsDirectly, type Context, type Principal } from '../../base/context.ts'
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import { governancePointers } from '../../base/tenant/tenant.ts'
import { findPointer, readSettings } from '../../govern/governance/settings.ts'
import { storedTextsUnder } from '../../govern/governance/pii/stored-text.ts'
import { raisersOf } from '../../identity/access/raised.ts'
import { among } from '../../identity/accounts/raise.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { controlKey, FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import { type Framework, frameworks } from '../frameworks/framework.ts'
import { evidenceLinks } from '../submissions/link.ts'
import { ARTIFACT_OF, artifactData, proven, subjectOf } from '../submissions/submission-artifact.ts'
import { Decision, statusAt, type Submission, SUBMISSION_STATES, submissions } from '../submissions/submission.ts'
import { holdsAnnounced } from '../submissions/upload.ts'
import * as z from 'zod'
import { optional } from '../../base/wire/fields.ts'

export type Verdict = Pick<Decision, 'decision' | 'reason'>

/**
 * Throws 403 for a caller who may not decide; 409 where nothing waits for a decision, or where the piece is not as it was
 * submitted.
 */
export async function decisionParts(ctx: Context, was: Stored<Submission>, verdict: Verdict) {
  const pointer = await findPointer(ctx.table, ctx.space)
  const settings = readSettings(pointer)
  mustMayDecide(was, ctx.principal, settings)
  mustAllowMove(SUBMISSION_STATES, statusAt(was, ctx.now()), verdict.decision)
  if (verdict.decision === 'accepted') await mustBeAsSubmitted(ctx, was)
  const { reason } = await storedTextsUnder(settings, { reason: verdict.reason })
  const submission = await decided(ctx, was, { ...verdict, reason })
  const self = submission.decision.self ? [governancePointers.stays(ctx.space, pointer._v, new ChangedMeanwhile())] : []
  const writes: Write[] = [
    submissions.replace(submission, was, new ChangedMeanwhile()),
    ...linksOf(submission),
    ...self,
    ...changed(ctx, [changeOf(was, submission)]),
  ]
  return { submission: { ...submission, _v: was._v + 1 }, writes }
}

type Decided = Submission & { decision: Decision }

/** Nobody accepts a piece that was changed in the table or in the bucket since it was submitted. */
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

type DecisionSettings = { require_human_approver: boolean | null; allow_self_approval: boolean }

/** Whether the principal submitted it, or could have. */
const isSelf = (
  { submitted_by, persons }: Pick<Submission, 'submitted_by' | 'persons'>,
  principal: Pick<Principal, 'id' | 'persons'>,
): boolean => principal.id === submitted_by.id || principal.persons.some((person) => persons.includes(person))

/** Throws 403. Evidence is judged by people, or by software that no agent acts through, and never by its own side. */
function mustMayDecide(submission: Submission, principal: Principal, settings: DecisionSettings): void {
  if (!principal.permissions.has('compliance:write'))
    throw forbidden('You need the permission compliance:write to decide on evidence. Ask an administrator for it.')
  if (principal.agent_id !== undefined) throw forbidden('An agent cannot decide on evidence. Ask a person to do it.')
  if (
    settings.require_human_approver === true &&
    !actsDirectly({ type: principal.kind, client_id: principal.client_id })
  )
    throw forbidden('Your tenant requires a person to decide. Sign in to decide on evidence.', {
      code: 'person_required',
    })
  if (isSelf(submission, principal) && !settings.allow_self_approval)
    throw forbidden('You cannot decide on evidence that you could have submitted. Ask another reviewer.')
}

/** Where it names no enabled framework. */
const VALIDITY_DAYS = 180

/** As it was submitted; else so long after it was made as the strictest of the enabled frameworks that it names lets it. */
function validUntil(
  { valid_until, collected_at, control_refs }: Submission,
  enabled: readonly { framework_id: string; evidence_validity_days: number }[],
): string {
  if (valid_until !== undefined) return valid_until
  const days = enabled
    .filter(({ framework_id }) => control_refs.some((ref) => ref.framework_id === framework_id))
    .map(({ evidence_validity_days }) => evidence_validity_days)
  return iso(Date.parse(collected_at) + (days.length === 0 ? VALIDITY_DAYS : Math.min(...days)) * DAY_MS)
}

export const REASON_MAX = 2_000

export const DecisionBody = z.strictObject({
  decision: Decision.shape.decision,
  reason: z.string().min(1).max(REASON_MAX).describe('The reason, for people.'),
  version: optional(z.int()).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
