import { CheckFilters, CheckView, readChecks } from '../../shared/assure/checks/read-checks.ts'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { query: ListQuery.extend(CheckFilters.shape), response: listView(CheckView) }

export const handler = endpoint(compliance.listChecks, shapes, async ({ query, ctx }) =>
  pageOf(ctx, compliance.listChecks.id, query, await readChecks(ctx, query), ({ id }) => id),
)
