// Who a tenant is at the payment provider.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { asking } from './stripe.ts'

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

/**
 * Made at the first checkout. The key makes the provider answer a repeat with the same customer, as long as the request is the same:
 * so name and address, which depend on who asks, follow.
 */
export async function customerOf(ctx: Context): Promise<string> {
  const { tenant_id } = ctx.space
  const known = await ctx.table.get(customers, { tenant_id })
  if (known) return known.customer_id
  const { id: customer_id } = await asking((client) =>
    client.customers.create({ metadata: { tenant_id } }, { idempotencyKey: `customer:${tenant_id}` }),
  )
  const { name } = await tenantOf(ctx.table, tenant_id)
  const { email } = ctx.principal
  await asking((client) => client.customers.update(customer_id, { name, ...(email !== undefined && { email }) }))
  const item = { tenant_id, customer_id }
  try {
    await ctx.table.commit([customers.insert(item), customerTenants.insert(item)])
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error // another request has stored it
  }
  return (await ctx.table.get(customers, { tenant_id }))?.customer_id ?? customer_id
}
