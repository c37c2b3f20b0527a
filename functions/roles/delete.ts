import * as z from 'zod'
import { deleteRole } from '../../shared/identity/roles/change-role.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { roles } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(roles.delete, shapes, async ({ params, ctx }) => {
  await deleteRole(ctx, params.role)
  return undefined
})
