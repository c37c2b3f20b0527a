import * as z from 'zod'
import { Finding } from '../../shared/evidence/chain.ts'
import { verifyChain } from '../../shared/evidence/verify.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { evidence } from './routes.ts'

const Verification = z.object({
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
  last_full: z
    .object({ at: z.string(), size: z.int(), result: z.enum(['valid', 'broken']), broken: z.array(Finding) })
    .optional(),
  verifier_keys: z.array(z.string()),
})

export const shapes = {
  reply: z.object({
    chain_valid: z.boolean(),
    total_artifacts: z.int(),
    first_artifact: z.string().nullable(),
    latest_artifact: z.string().nullable(),
    signature_status: z.enum(['all_verified', 'pending', 'failed', 'none']),
    broken_links: z.int(),
    verification: Verification,
  }),
}

/** Answers 200 for a broken chain too: the finding is the answer. */
export const handler = endpoint(evidence.verify, shapes, ({ ctx }) => verifyChain(ctx, 'api'))
