import * as z from 'zod'
import { textSeal } from '../../shared/evidence/seal.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { createRecoveryCodes } from '../../shared/mfa/recovery-codes.ts'
import { mfa } from './routes.ts'

export const shapes = { body: z.strictObject({}), reply: z.object({ codes: z.array(z.string()) }) }

export const handler = endpoint(
  mfa.createRecoveryCodes,
  shapes,
  async ({ ctx }) => ({ codes: await createRecoveryCodes(ctx) }),
  { protect: textSeal('body') },
)
