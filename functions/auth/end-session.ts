import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { endOwnSession } from '../../shared/identity/sessions/end-sessions.ts'
import { auth } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(auth.endSession, shapes, async ({ params, ctx }) => {
  await endOwnSession(ctx, params.id)
  return undefined
})
