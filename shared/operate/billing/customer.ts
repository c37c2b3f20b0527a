// Who a tenant is at the payment provider.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { alarm } from '../../base/lib/log.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/table/retry.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { asked, asking } from './stripe.ts'

/** Billing belongs to the tenant as a whole and stands with its live data. */
export const billingPartition = (tenant_id: string): string => spaceKey({ tenant_id, mode: 'live' }, 'BILLING')

const Customer = z.object({ tenant_id: z.string(), customer_id: z.string() })

export const customers = entity({
  name: 'CUST',
  schema: Customer,
  key: (of: { tenant_id: string }) => ({ pk: billingPartition(of.tenant_id), sk: 'CUST' }),
})

/** The only way from an event of the provider to a tenant. */
export const customerTenants = entity({
  name: 'STRIPECUST',
  schema: Customer,
  key: (of: { customer_id: string }) => ({ pk: key('STRIPECUST', of.customer_id), sk: 'CUST' }),
})

/** Whether the provider says so, by what was written there when the customer was made: a row could name anybody's. */
export async function isItsCustomer({ space }: Context, customer_id: string): Promise<boolean> {
  const found = await asked((client) => client.customers.retrieve(customer_id))
  if (found && !found.deleted && found.metadata['tenant_id'] === space.tenant_id) return true
  alarm('customer_not_at_provider', undefined, { tenant: space.tenant_id, customer: customer_id })
  return false
}

/** Undefined before a first checkout, and for a row that names what is not the tenant's. */
export async function ownCustomer(ctx: Context): Promise<string | undefined> {
  const known = await ctx.table.get(customers, { tenant_id: ctx.space.tenant_id })
  return known && (await isItsCustomer(ctx, known.customer_id)) ? known.customer_id : undefined
}

/** Throws 409 where there is none. */
export async function payingCustomer(ctx: Context): Promise<string> {
  const own = await ownCustomer(ctx)
  if (own === undefined)
    throw conflict(
      'The payment provider has no customer for you. Start a checkout, or ask the operator of this service.',
    )
  return own
}

/**
 * Made at the first checkout. The key makes the provider answer a repeat with the same customer, as long as the request is the same:
 * so name and address, which depend on who asks, follow.
 */
export async function customerOf(ctx: Context): Promise<string> {
  const own = await ownCustomer(ctx)
  if (own !== undefined) return own
  const { tenant_id } = ctx.space
  const { id: customer_id } = await asking((client) =>
    client.customers.create({ metadata: { tenant_id } }, { idempotencyKey: `customer:${tenant_id}` }),
  )
  const { name } = await tenantOf(ctx.table, tenant_id)
  const { email } = ctx.principal
  await asking((client) => client.customers.update(customer_id, { name, ...(email !== undefined && { email }) }))
  const item = { tenant_id, customer_id }
  const [known, its] = await Promise.all([ctx.table.get(customers, item), ctx.table.get(customerTenants, item)])
  const overtaken = new Overtaken()
  await ctx.table.commit([
    known ? customers.replace(item, known, overtaken) : customers.insert(item, overtaken),
    its ? customerTenants.replace(item, its, overtaken) : customerTenants.insert(item, overtaken),
  ])
  return customer_id
}
