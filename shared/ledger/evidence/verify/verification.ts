// The view of a verification.
import * as z from 'zod'
import { Refused } from '../chain/refused.ts'
import { Completeness, LastFull } from './verify-state.ts'

const Details = z.object({
  verification_id: z.string().describe('Id of the verification.'),
  mode: z
    .enum(['full', 'incremental'])
    .describe('Whether the whole chain was verified, or only the part since the last full pass.'),
  checked_at: z.string().describe('When the check was made.'),
  anchored_through: z.int().describe('The last position that a signed checkpoint covers.'),
  unanchored: z.int().describe('The number of artifacts that no signed checkpoint covers yet.'),
  oldest_unanchored_at: z.string().optional().describe('Time of the oldest artifact that no checkpoint covers yet.'),
  pending: z.int().describe('The number of artifacts that have no position yet.'),
  checkpoint: z
    .object({
      size: z.int().describe('The number of artifacts that the checkpoint covers.'),
      root: z.string().describe('Merkle root, Base64.'),
      signed_at: z.string().describe('When it was signed.'),
      object: z.literal('verified').describe('Whether the copy in the bucket is equal.'),
      note: z.string().describe('The signed note (c2sp.org/tlog-checkpoint).'),
    })
    .optional()
    .describe('The newest signed checkpoint.'),
  tail: z
    .object({
      from: z.int().describe('The first position that was verified.'),
      to: z.int().describe('The last position that was verified.'),
      result: z
        .enum(['valid', 'broken', 'partial'])
        .describe('Whether the artifacts since the last full pass are intact.'),
    })
    .describe('The verification of the artifacts since the last full pass.'),
  /** `stale`: a newer one is overdue. */
  last_full: LastFull.extend({ stale: z.literal(true).optional().describe('Whether a newer pass is overdue.') })
    .optional()
    .describe('The last pass over the whole chain.'),
  /** The running full pass. */
  job_id: z.string().optional().describe('Id of the job that does the work.'),
  completeness: Completeness.describe('Whether every state has its evidence, and every artifact its state.'),
  /** Artifacts that the service did not record, which are therefore not part of the chain. */
  refused: Refused.optional().describe(
    'Artifacts that were written to the table without the service. They are not in the chain.',
  ),
  verifier_keys: z
    .array(z.string())
    .describe('Public keys that verify the checkpoints, oldest first (c2sp.org/signed-note).'),
})

export const Verification = z.object({
  chain_valid: z.boolean().describe('Whether every verified link is intact.'),
  total_artifacts: z.int().describe('The number of artifacts in the chain.'),
  first_artifact: z.string().nullable().describe('Id of the first artifact of the chain.'),
  latest_artifact: z.string().nullable().describe('Id of the last artifact of the chain.'),
  signature_status: z
    .enum(['all_verified', 'pending', 'stale', 'failed', 'none'])
    .describe('Whether everything that should be signed is signed.'),
  broken_links: z.int().describe('The number of positions whose link does not match the artifact before.'),
  verification: Details.describe('The scope and the results of the verification.'),
})
export type Verification = z.input<typeof Verification>
