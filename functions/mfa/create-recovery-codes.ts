import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { createRecoveryCodes } from '../../shared/identity/mfa/recovery.ts'
import { mfa } from './routes.ts'

export const shapes = {
  body: z.strictObject({}),
  response: z.object({
    codes: z.array(z.string()).describe('The recovery codes. Each works once. They are shown only here.'),
  }),
}

export const handler = endpoint(
  mfa.createRecoveryCodes,
  shapes,
  async ({ ctx }) => ({ codes: await createRecoveryCodes(ctx) }),
  { protect: textSeal('body') },
)
