import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { unlinkSso } from '../../shared/identity/sso/subject-tie.ts'
import { sso } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(sso.unlink, shapes, async ({ params, ctx }) => {
  await unlinkSso(ctx, params.id)
  return undefined
})
