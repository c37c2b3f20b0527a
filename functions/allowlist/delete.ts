import * as z from 'zod'
import { removeRule } from '../../shared/identity/access/change-allowlist.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { allowlist } from './routes.ts'

export const shapes = {
  query: z.object({
    confirm: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: proceeds even if your own address would be locked out.'),
  }),
  response: z.undefined(),
}

export const handler = endpoint(allowlist.delete, shapes, async ({ params, query, ctx }) => {
  await removeRule(ctx, { id: params.rule_id, confirm: query.confirm === 'true' })
  return undefined
})
