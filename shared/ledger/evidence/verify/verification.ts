// The view of a verification.
import * as z from 'zod'
import { Refused } from '../chain/refused.ts'
import { Completeness, LastFull } from './verify-state.ts'

const Details = z.object({
  verification_id: z.string(),
  mode: z.enum(['full', 'incremental']),
  checked_at: z.string(),
  anchored_through: z.int(),
  unanchored: z.int(),
  oldest_unanchored_at: z.string().optional(),
  pending: z.int(),
  checkpoint: z
    .object({ size: z.int(), root: z.string(), signed_at: z.string(), object: z.literal('verified'), note: z.string() })
    .optional(),
  tail: z.object({ from: z.int(), to: z.int(), result: z.enum(['valid', 'broken', 'partial']) }),
  /** `stale`: a newer one is overdue. */
  last_full: LastFull.extend({ stale: z.literal(true).optional() }).optional(),
  /** The running full pass. */
  job_id: z.string().optional(),
  completeness: Completeness,
  /** Artifacts that the service did not record, which are therefore not part of the chain. */
  refused: Refused.optional(),
  verifier_keys: z.array(z.string()),
})

export const Verification = z.object({
  chain_valid: z.boolean(),
  total_artifacts: z.int(),
  first_artifact: z.string().nullable(),
  latest_artifact: z.string().nullable(),
  signature_status: z.enum(['all_verified', 'pending', 'stale', 'failed', 'none']),
  broken_links: z.int(),
  verification: Details,
})
export type Verification = z.input<typeof Verification>
