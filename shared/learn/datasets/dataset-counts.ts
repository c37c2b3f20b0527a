import * as z from 'zod'

/** What became of the samples of a dataset. */
export const DatasetCounts = z.object({
  pairs: z.int().describe('Pairs of a chosen and a rejected answer to one prompt.'),
  chosen: z.int().describe('Chosen samples.'),
  rejected: z.int().describe('Rejected samples.'),
  /** Samples of groups without a pair. They are rows of sft and kto. */
  unpaired: z.int().describe('Samples in no pair; they are rows of sft and kto.'),
  below_confidence: z.int().describe('Samples left out for too little confidence.'),
  duplicates: z.int().describe('Samples left out because an equal or nearly equal one is there.'),
  /** The same prompt and completion was chosen once and rejected once. */
  conflicts: z.int().describe('Prompts with one completion that was both chosen and rejected.'),
  rushed: z.int().describe('Chosen samples whose approvals were all given in haste or by the requester.'),
  by_source: z.record(z.string(), z.int()).describe('Samples by where their label came from.'),
  pii_redactions: z.int().describe('Findings of personal data that were redacted.'),
  /** Samples left out for personal data in them. */
  pii_dropped: z.int().describe('Samples left out because they held personal data.'),
  /** Executions that the evidence does not confirm, or whose payload cannot be read. They are left out. */
  unproven: z
    .int()
    .describe('Executions left out because the evidence does not confirm them or their payload cannot be read.'),
})
export type DatasetCounts = z.output<typeof DatasetCounts>
