import { endpoint } from '../../shared/edge/endpoint.ts'
import { SLA_POLICIES, SlaPolicy } from '../../shared/base/sla/policy.ts'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { work } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(SlaPolicy) }

export const handler = endpoint(work.listSlaPolicies, shapes, ({ query, ctx }) =>
  pageOf(ctx, work.listSlaPolicies.id, query, SLA_POLICIES, ({ id }) => id),
)
