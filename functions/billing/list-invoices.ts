import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { InvoiceView, listInvoices } from '../../shared/operate/billing/read-billing.ts'
import { billing } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(InvoiceView) }

export const handler = endpoint(billing.listInvoices, shapes, async ({ query, ctx }) =>
  pageOf(ctx, billing.listInvoices.id, query, await listInvoices(ctx), ({ id }) => id),
)
