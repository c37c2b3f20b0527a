import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { removeFactor } from '../../shared/identity/mfa/remove-factors.ts'
import { mfa } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(mfa.removeFactor, shapes, async ({ params, ctx }) => {
  await removeFactor(ctx, params.factor_id)
  return undefined
})
