import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { notFound } from '../../shared/base/lib/failure.ts'
import { withGroupNames } from '../../shared/govern/policies/approvers.ts'
import { policies, policyVersions } from '../../shared/govern/governance/stored-rules.ts'
import { PolicyView, policyView } from '../../shared/govern/policies/view.ts'
import { security } from './routes.ts'

const version = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number)

export const shapes = {
  query: z.object({ version: version.optional().describe('This version instead of the newest.') }),
  response: PolicyView,
  versioned: true,
}

export const handler = endpoint(security.getPolicy, shapes, async ({ params, query, ctx }) => {
  const id = { ...ctx.space, policy_id: params.policy_id }
  const stored = query.version
    ? await ctx.table.get(policyVersions, { ...id, version: query.version })
    : await ctx.table.get(policies, id)
  if (!stored) throw notFound('policy')
  const [view] = await withGroupNames(ctx, [policyView(stored)])
  return tagged(view, stored.version)
})
