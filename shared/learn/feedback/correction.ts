// The payload that would have been right. It is sealed like the payload of an execution, in the item of the feedback.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import { openPayload } from '../../ledger/sealing/seal.ts'
import { type Feedback, feedbackPartition, feedbacks } from './feedback.ts'
import { wholeRange } from '../../base/table/whole.ts'

/** Undefined when there is none, when it was erased, or when it is not the one that the evidence commits to. */
export async function openCorrection(ctx: Context, feedback: Feedback): Promise<JsonObject | undefined> {
  if (!feedback.correction) return undefined
  try {
    const { payload, salt } = await openPayload(ctx.space, feedbacks.key(feedback), 'correction', feedback.correction)
    const isIt = hex(payloadCommitment(salt, payload)) === feedback.correction_commitment
    return isIt ? (payload as JsonObject) : undefined // the door takes objects only
  } catch (error) {
    if (error instanceof Failure && error.kind === 'conflict') return undefined
    throw error
  }
}

/** One for each principal of a tenant. */
const FEEDBACK_MAX = 10_000

/** Removes what people wrote beside the erased payload of an execution. What they thought of it stays. */
export async function eraseCorrections(ctx: Context, executionId: string): Promise<void> {
  const pk = feedbackPartition(ctx.space, 'execution', executionId)
  const found = await wholeRange(ctx.table, feedbacks, { pk }, FEEDBACK_MAX)
  for (const one of found.filter(({ correction, comment }) => correction ?? comment))
    await ctx.table.update(feedbacks.key(one), { remove: ['correction', 'comment'] })
}
