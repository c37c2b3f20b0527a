import { listDomains } from '../../shared/domains/list.ts'
import { DomainView } from '../../shared/domains/view.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { ListQuery, listReply } from '../../shared/http/pagination.ts'
import { domains } from './routes.ts'

export const shapes = { query: ListQuery, reply: listReply(DomainView) }

/** In the order of their names. */
export const handler = endpoint(domains.list, shapes, ({ query, ctx }) => listDomains(ctx, domains.list.id, query))
