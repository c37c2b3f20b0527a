import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { deleteGroup } from '../../shared/identity/scim/groups/delete-group.ts'
import { scim } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(scim.deleteGroup, shapes, async ({ params, headers, ctx }) => {
  await deleteGroup(ctx, params.id, headers['if-match'])
  return undefined
})
