// The payload that would have been right. It is sealed like the payload of an execution, in the item of the feedback.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import { openPayload } from '../../ledger/sealing/seal.ts'
import { type Feedback, feedbacks } from './feedback.ts'

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
