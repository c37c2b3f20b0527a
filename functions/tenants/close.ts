import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { closeTenant } from '../../shared/identity/tenants/close-tenant.ts'
import { tenants } from './routes.ts'

export const shapes = {
  /** The name of the tenant, so that nobody closes one by mistake. */
  body: z.strictObject({
    confirm: z.string().max(200).describe('The name of the tenant, as a protection against closing the wrong one.'),
  }),
  response: z.undefined(),
}

export const handler = endpoint(tenants.close, shapes, async ({ body, ctx }) => {
  await closeTenant(ctx, body)
  return undefined
})
