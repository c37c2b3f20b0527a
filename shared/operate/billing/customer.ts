// Who a tenant is at the payment provider.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { alarm } from '../../base/lib/log.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { asked, asking } from './stripe.ts'

/** Billing belongs to the tenant as a whole and stands with its live data. */
export const billingPartition = (tenant_id: string): string => spaceKey({ tenant_id, mode: 'live' }, 'BILLING')

const Customer = z.object({ tenant_id: z.string(), customer_id: z.string() })

/** What the provider says counts: the item could name anybody's, and may be lost. */
export const customers = entity({
  name: 'CUST',
  unbound: 'names what is proven',
  schema: Customer,
  key: (of: { tenant_id: string }) => ({ pk: billingPartition(of.tenant_id), sk: 'CUST' }),
})

/** What was written there when the customer was made. Undefined for one that is nobody's, or deleted. */
export async function tenantOfCustomer(customer_id: string): Promise<string | undefined> {
  const found = await asked((client) => client.customers.retrieve(customer_id))
  return found && !found.deleted ? found.metadata['tenant_id'] : undefined
}

export async function isItsCustomer({ space }: Context, customer_id: string): Promise<boolean> {
  if ((await tenantOfCustomer(customer_id)) === space.tenant_id) return true
  alarm('customer_not_at_provider', undefined, { tenant: space.tenant_id, customer: customer_id })
  return false
}

async function rememberedCustomer(ctx: Context): Promise<string | undefined> {
  const known = await ctx.table.get(customers, { tenant_id: ctx.space.tenant_id })
  return known && (await isItsCustomer(ctx, known.customer_id)) ? known.customer_id : undefined
}

/** The newest at the provider: another one is made only where the search, which is a minute late, found none. */
async function searchedCustomer({ space: { tenant_id } }: Context): Promise<string | undefined> {
  const query = `metadata['tenant_id']:'${tenant_id}'`
  const { data } = await asking((client) => client.customers.search({ query, limit: 100 }))
  const own = data.filter(({ metadata }) => metadata['tenant_id'] === tenant_id)
  return own.toSorted((a, b) => b.created - a.created)[0]?.id
}

/** Undefined before a first checkout. */
export async function ownCustomer(ctx: Context): Promise<string | undefined> {
  const known = await rememberedCustomer(ctx)
  if (known !== undefined) return known
  const found = await searchedCustomer(ctx)
  if (found !== undefined) await remember(ctx, found)
  return found
}

async function remember({ table, space: { tenant_id } }: Context, customer_id: string): Promise<void> {
  const was = await table.get(customers, { tenant_id })
  const next = { tenant_id, customer_id }
  // Unless another request has just found it, too.
  await unlessChangedMeanwhile(table.commit([was ? customers.replace(next, was) : customers.insert(next)]))
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
  const known = await rememberedCustomer(ctx)
  if (known !== undefined) return known
  const { tenant_id } = ctx.space
  const customer_id = (await searchedCustomer(ctx)) ?? (await newCustomer(tenant_id))
  const { name } = await tenantOf(ctx.table, tenant_id)
  const { email } = ctx.principal
  await asking((client) => client.customers.update(customer_id, { name, ...(email !== undefined && { email }) }))
  await remember(ctx, customer_id)
  return customer_id
}

async function newCustomer(tenant_id: string): Promise<string> {
  const idempotencyKey = `customer:${tenant_id}`
  return (await asking((client) => client.customers.create({ metadata: { tenant_id } }, { idempotencyKey }))).id
}
