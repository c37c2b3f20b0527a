import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { tagged } from '../../shared/http/etag.ts'
import { notFound } from '../../shared/lib/failure.ts'
import { policies, policyVersions } from '../../shared/policies/stored-policy.ts'
import { PolicyView, viewOf } from '../../shared/policies/view.ts'
import { security } from './routes.ts'

const version = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number)

export const shapes = {
  query: z.object({ version: version.optional() }),
  reply: PolicyView,
  versioned: true,
}

export const handler = endpoint(security.getPolicy, shapes, async ({ params, query, ctx }) => {
  const id = { ...ctx.space, policy_id: params.policy_id }
  const stored = query.version
    ? await ctx.table.get(policyVersions, { ...id, version: query.version })
    : await ctx.table.get(policies, id)
  if (!stored) throw notFound('policy')
  return tagged(viewOf(stored), stored.version)
})
