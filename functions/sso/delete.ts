import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { deleteSso } from '../../shared/sso/delete-configuration.ts'
import { sso } from './routes.ts'

export const shapes = { reply: z.undefined(), versioned: true }

export const handler = endpoint(sso.delete, shapes, async ({ version, ctx }) => {
  await deleteSso(ctx, version)
  return undefined
})
