import * as z from 'zod'

/** What became of the samples of a dataset. */
export const DatasetCounts = z.object({
  pairs: z.int(),
  chosen: z.int(),
  rejected: z.int(),
  /** Samples of groups without a pair. They are rows of sft and kto. */
  unpaired: z.int(),
  below_confidence: z.int(),
  duplicates: z.int(),
  /** The same prompt and completion was chosen once and rejected once. */
  conflicts: z.int(),
  /** Chosen samples whose approvals were all given in haste, or by their own requester. */
  rushed: z.int(),
  by_source: z.record(z.string(), z.int()),
  pii_redactions: z.int(),
  /** Samples left out for personal data in them. */
  pii_dropped: z.int(),
  /** Executions that the evidence does not confirm, or whose payload cannot be read. They are left out. */
  unproven: z.int(),
})
export type DatasetCounts = z.output<typeof DatasetCounts>
