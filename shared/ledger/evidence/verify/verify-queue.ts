// Queue messages of full passes: start the pass of a chain, or verify one part of a running pass.
import * as z from 'zod'
import { queue, sendMany } from '../../../base/kernel/queue.ts'
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

export const verifications = queue('verifications', VerificationMessage)

/** The name of a part in the state of its pass. */
export const partName = (part: Part): string => (part.kind === 'segment' ? `${part.from}-${part.to}` : part.kind)

export const enqueue = (messages: readonly VerificationMessage[]): Promise<void> => sendMany(verifications, messages)
