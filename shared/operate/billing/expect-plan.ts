import type { Context } from '../../base/context.ts'
import { allSubscriptions } from './subscription.ts'
import { customers } from './customer.ts'
import { enqueueDue } from './enqueue.ts'
import { planWrites } from './plan-writes.ts'

/** Once a day: of a tenant that pays, or whose plan does not follow from the table, the worker asks the provider. */
export async function expectPlan(ctx: Context): Promise<void> {
  const { table, space } = ctx
  const [customer, all] = await Promise.all([table.get(customers, space), allSubscriptions(ctx)])
  if (customer || all.length > 0 || (await planWrites(ctx, all)).change)
    await enqueueDue(space, customers.key(space).sk)
}
