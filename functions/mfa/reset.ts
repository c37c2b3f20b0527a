import * as z from 'zod'
import { unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { resetFactors } from '../../shared/identity/mfa/remove-factors.ts'
import { mfa } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(mfa.reset, shapes, async ({ params, ctx }) =>
  (await resetFactors(ctx, params.id)) ? undefined : unchanged(undefined, 204),
)
