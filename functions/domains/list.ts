import { DomainView, listDomains } from '../../shared/identity/domains/view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { domains } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(DomainView) }

/** In the order of their names. */
export const handler = endpoint(domains.list, shapes, ({ query, ctx }) => listDomains(ctx, domains.list.id, query))
