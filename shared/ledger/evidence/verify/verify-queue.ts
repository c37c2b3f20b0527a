// Queue messages of full passes: start the pass of a chain, or verify one part of a running pass.
import * as z from 'zod'
import { env } from '../../../base/lib/env.ts'
import { spaceMembers } from '../../../base/table/members.ts'
import { Gaps } from './gaps.ts'

export const Part = z.discriminatedUnion('kind', [
  /** The artifacts between two checkpoints, by their sizes; 0 is the genesis. */
  z.strictObject({ kind: z.literal('segment'), from: z.int(), to: z.int() }),
  /** Checks whether every state has its artifacts; continues where an earlier message ended. */
  z.strictObject({
    kind: z.literal('completeness'),
    list: z.int(),
    after: z.string().optional(),
    gaps: Gaps,
  }),
])
export type Part = z.output<typeof Part>

export const VerificationMessage = z.strictObject({
  ...spaceMembers,
  /** Absent: start a pass. */
  job_id: z.string().optional(),
  part: Part.optional(),
  /** The turn of the part. A message with an old turn does nothing. */
  turn: z.int().optional(),
})
export type VerificationMessage = z.output<typeof VerificationMessage>

/** The name of a part in the state of its pass. */
export const partName = (part: Part): string => (part.kind === 'segment' ? `${part.from}-${part.to}` : part.kind)

const ENTRIES_MAX = 10

/** Throws when any message was rejected, because SendMessageBatch reports failures per entry in a successful answer. */
export async function enqueue(messages: readonly VerificationMessage[]): Promise<void> {
  const { SendMessageBatchCommand, sqs } = await import('../../../base/aws/sqs.ts')
  const QueueUrl = env('VERIFICATIONS_QUEUE_URL')
  for (let from = 0; from < messages.length; from += ENTRIES_MAX) {
    const Entries = messages
      .slice(from, from + ENTRIES_MAX)
      .map((message, index) => ({ Id: String(index), MessageBody: JSON.stringify(message) }))
    const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl, Entries }))
    if (Failed.length > 0) throw new Error(`the queue rejected ${Failed.length} messages`)
  }
}
