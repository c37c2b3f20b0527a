// What became of a document, for its owner: how much of it is converted, what of it says less than the document, and what is not there.
import * as z from 'zod'
import type { Conversion } from './convert.ts'

const reasons = z.array(
  z.object({
    reason: z.string().describe('The cause, for programs.'),
    operations: z.int().describe('How many operations it is the cause for.'),
  }),
)

export const ImportReport = z.object({
  operations: z.int().describe('How many operations the document has.'),
  converted: z.int().describe('How many of them became actions.'),
  simplified: z
    .int()
    .describe('How many actions accept more than the document does, or cannot send an optional part of it.'),
  skipped: z.int().describe('How many operations or paths became no action.'),
  simplified_because: reasons.describe('Why actions are simplified, the most frequent cause first.'),
  skipped_because: reasons.describe('Why operations are skipped, the most frequent cause first.'),
})
export type ImportReport = z.output<typeof ImportReport>

/** Deprecated operations are converted: they are published when somebody names them. */
export function reportOf({ operations, skipped }: Conversion): ImportReport {
  const simplified = operations.filter(({ simplifications }) => simplifications.length > 0)
  return {
    operations: operations.length + skipped.length,
    converted: operations.length,
    simplified: simplified.length,
    skipped: skipped.length,
    simplified_because: counted(simplified.flatMap(({ simplifications }) => [...new Set<string>(simplifications)])),
    skipped_because: counted(skipped.map(({ reason }) => reason)),
  }
}

function counted(all: readonly string[]): ImportReport['skipped_because'] {
  const groups = [...Map.groupBy(all, (reason) => reason)]
  return groups
    .map(([reason, these]) => ({ reason, operations: these.length }))
    .toSorted((one, other) => other.operations - one.operations || (one.reason < other.reason ? -1 : 1))
}
