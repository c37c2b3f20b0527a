import { allowlistRules, RULE_PREFIX, rulesPartition, RuleView } from '../../shared/identity/access/allowlist-rule.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView, paginate } from '../../shared/base/wire/pagination.ts'
import { allowlist } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(RuleView) }

/** Newest first. */
export const handler = endpoint(allowlist.list, shapes, ({ query, ctx }) =>
  paginate(ctx, allowlist.list.id, query, {
    of: allowlistRules,
    groups: [{ name: 'rules', partitions: [rulesPartition(ctx.space.tenant_id)] }],
    from: RULE_PREFIX,
    to: `${RULE_PREFIX}~`,
  }),
)
