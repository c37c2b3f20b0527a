import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { removeFactor } from '../../shared/mfa/remove-factors.ts'
import { mfa } from './routes.ts'

export const shapes = { reply: z.undefined() }

export const handler = endpoint(mfa.removeFactor, shapes, async ({ params, ctx }) => {
  await removeFactor(ctx, params.factor_id)
  return undefined
})
