// Takes feedback. Its comment is stored without personal data, its correction sealed like the payload of the execution.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid, notFound } from '../../base/lib/failure.ts'
import { freeForm, id, optional } from '../../base/wire/fields.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { entity, type Key, spaceKey, type Stored } from '../../base/table/entity.ts'
import { findExecution } from '../../govern/executions/sealed/open-execution.ts'
import { Redactor } from '../../govern/governance/pii/redact.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { sealPayload } from '../../ledger/sealing/seal.ts'
import {
  artifactData,
  type Feedback,
  FEEDBACK_ARTIFACT,
  FEEDBACK_LABELS,
  feedbacks,
  TARGET_TYPES,
  type TargetType,
} from './feedback.ts'
import { approvals } from '../../govern/approvals/approval.ts'
import { executions } from '../../govern/executions/execution.ts'
import { datasets } from '../datasets/dataset.ts'
import { models } from '../models/model.ts'

export const FeedbackBody = z.strictObject({
  target_type: z.enum(TARGET_TYPES).describe('What kind of thing the feedback is about.'),
  target_id: id.describe('Id of what the feedback is about; of a persona its key.'),
  rating: z.union([z.literal(-1), z.literal(0), z.literal(1)]).describe('1: good, -1: bad, 0: neither.'),
  label: optional(z.enum(FEEDBACK_LABELS)).describe('What it was, more exactly; wins over the rating.'),
  comment: optional(z.string().max(4_000)).describe(
    'In your own words. Personal data is replaced before it is stored.',
  ),
  correction: optional(freeForm).describe('Of an execution: the payload that would have been right.'),
})
type FeedbackBody = z.output<typeof FeedbackBody>

/**
 * Stores the feedback, one per principal and target: a second one replaces the first. Throws 404 for an unknown target, 422 for a
 * correction of anything but an execution. Who gave it, and whether that person may decide, is read from the credential, never
 * from the body, because only feedback of such people counts.
 */
export async function submitFeedback(ctx: Context, body: FeedbackBody): Promise<Stored<Feedback>> {
  if (body.correction && body.target_type !== 'execution')
    throw invalid(['correction'], 'goes with feedback on an execution only')
  await mustBeThere(ctx, body)
  return retryWhenChanged(() => store(ctx, body))
}

async function store(ctx: Context, { correction, comment, ...said }: FeedbackBody): Promise<Stored<Feedback>> {
  const { principal, space } = ctx
  const at = ctx.now()
  const created_by = { type: principal.kind, id: principal.id }
  const of = { ...space, ...said, created_by }
  const was = await ctx.table.get(feedbacks, of)
  const corrected = correction && (await sealedCorrection(ctx, of, correction))
  const next = {
    ...of,
    id: ctx.id('fbk'),
    ...(comment !== undefined && { comment: new Redactor().redactMembers({ comment }).comment as string }),
    ...(corrected && { correction: corrected.sealed, correction_commitment: corrected.commitment }),
    persons: [...principal.persons],
    may_decide: principal.credential === 'session' && principal.permissions.has('approvals:decide'),
    created_at: was?.created_at ?? iso(at),
    updated_at: iso(at),
  }
  const subject = { type: 'feedback', id: next.id }
  const artifact = newArtifact(ctx, { type: FEEDBACK_ARTIFACT, subject, data: artifactData(next), at })
  const feedback: Feedback = { ...next, artifact: { id: artifact.artifact_id, hash: artifact.hash } }
  const write = was
    ? feedbacks.replace(feedback, was, new ChangedMeanwhile())
    : feedbacks.insert(feedback, new ChangedMeanwhile())
  await ctx.table.commit([write, ...commitWith(ctx, [{ artifact }])], feedback.id)
  return { ...feedback, _v: (was?._v ?? 0) + 1 }
}

/** Erased with the payload of the execution. */
async function sealedCorrection(ctx: Context, of: Parameters<typeof feedbacks.key>[0], correction: object) {
  const { subject_ref } = await findExecution(ctx, of.target_id)
  return sealPayload(ctx.space, feedbacks.key(of), 'correction', correction, { keyName: subject_ref })
}

/** The newest version of a persona. Only that there is one matters here. */
const personas = entity({
  name: 'PERSONA',
  unbound: 'bounded',
  schema: z.object({ pk: z.string(), sk: z.string() }),
  key: (of: Key) => of,
})

/** Those that every tenant has; they are stored only once a tenant changes one. */
const SEEDED: readonly string[] = ['default', 'cautious', 'analyst', 'support', 'operator']

type Find = (ctx: Context, of: Space & { id: string }) => Promise<object | boolean | undefined>

const FIND: Record<TargetType, Find> = {
  execution: ({ table }, of) => table.get(executions, of),
  approval: ({ table }, of) => table.get(approvals, of),
  model: ({ table }, of) => table.get(models, of),
  dataset: ({ table }, of) => table.get(datasets, of),
  persona: async ({ table }, of) =>
    SEEDED.includes(of.id) || table.get(personas, { pk: spaceKey(of, 'PERSONA', of.id), sk: 'LATEST' }),
}

/** Throws 404. */
async function mustBeThere(ctx: Context, { target_type, target_id }: { target_type: TargetType; target_id: string }) {
  if (!(await FIND[target_type](ctx, { ...ctx.space, id: target_id }))) throw notFound(target_type)
}
