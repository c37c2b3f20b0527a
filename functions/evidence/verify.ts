import * as z from 'zod'
import { startFullPass } from '../../shared/ledger/evidence/verify/full-pass.ts'
import { Verification, verifyChain } from '../../shared/ledger/evidence/verify/verify.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { evidence } from './routes.ts'

export const shapes = {
  query: z.object({
    full: z
      .enum(['true', 'false'])
      .optional()
      .describe(
        '`true`: also starts a pass over the whole chain. The answer has its `job_id`, later answers its result.',
      ),
  }),
  response: Verification,
}

/** Answers 200 for a broken chain, too, with the findings. `full`: also starts a pass over the whole chain. */
export const handler = endpoint(evidence.verify, shapes, async ({ query, ctx }) => {
  const now = await verifyChain(ctx, 'api')
  if (query.full !== 'true') return now
  const { id: job_id } = await startFullPass(ctx, 'api')
  return { ...now, verification: { ...now.verification, job_id } }
})
