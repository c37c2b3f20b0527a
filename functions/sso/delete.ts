import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { deleteSso } from '../../shared/identity/sso/settings/delete-configuration.ts'
import { sso } from './routes.ts'

export const shapes = { response: z.undefined(), versioned: true }

export const handler = endpoint(sso.delete, shapes, async ({ version, ctx }) => {
  await deleteSso(ctx, version)
  return undefined
})
