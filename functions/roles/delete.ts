import * as z from 'zod'
import { deleteRole } from '../../shared/access/delete-role.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { roles } from './routes.ts'

export const shapes = { reply: z.undefined() }

export const handler = endpoint(roles.delete, shapes, async ({ params, ctx }) => {
  await deleteRole(ctx, params.role)
  return undefined
})
