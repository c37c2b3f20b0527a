import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView, paginate } from '../../shared/base/wire/pagination.ts'
import { policies, policiesOf, POLICY_PREFIX } from '../../shared/govern/governance/stored-rules.ts'
import { withGroupNames } from '../../shared/govern/policies/approvers.ts'
import { PolicyView, policyView } from '../../shared/govern/policies/view.ts'
import { security } from './routes.ts'

const flag = z.enum(['true', 'false']).transform((text) => text === 'true')

export const shapes = {
  query: ListQuery.extend({ enabled: flag.optional().describe('Only enabled or only disabled ones.') }),
  response: listView(PolicyView),
}

export const handler = endpoint(security.listPolicies, shapes, async ({ query, ctx }) => {
  const page = await paginate(ctx, 'security-list-policies', query, {
    of: policies,
    groups: [{ name: 'policies', partitions: [policiesOf(ctx.space).pk] }],
    from: POLICY_PREFIX,
    to: `${POLICY_PREFIX}~`,
    filter: query.enabled === undefined ? undefined : ({ enabled }) => enabled === query.enabled,
  })
  return { ...page, items: await withGroupNames(ctx, page.items.map(policyView)) }
})
