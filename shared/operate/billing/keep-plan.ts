// Once a day the plan of a tenant is held against what it follows from: what was granted, as far as the chain proves it, and what is
// paid for at the provider. So no plan or grant that somebody wrote into the table lasts, and no subscription that they took out is lost.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { alarm } from '../../base/lib/log.ts'
import { Overtaken, retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { forgetTenant, freshTenant } from '../../base/tenant/find.ts'
import { effectivePlan } from './effective-plan.ts'
import { planWrites } from './plan-writes.ts'
import { allSubscriptions } from './all-subscriptions.ts'
import { readAccount } from './read-account.ts'
import { readUnattended } from './read-unattended.ts'

/** The end of a grace is carried out within it: no reason for an alarm. */
const SETTLED_MS = 7_200_000

/** The provider is asked first: a lower plan takes something away. */
export async function keepPlan(ctx: Context): Promise<void> {
  const { tenant_id } = ctx.space
  await readAccount(ctx)
  await readUnattended(ctx)
  await retryWhenOvertaken(async () => {
    const was = await freshTenant(ctx.table, tenant_id)
    const all = await allSubscriptions(ctx)
    const { granted, agrees, writes, change } = await planWrites(ctx, all)
    if (!change) return
    // A subscription and the plan that follows from it change together.
    if ((await freshTenant(ctx.table, tenant_id))._v !== was._v) throw new Overtaken()
    if (effectivePlan(granted, all, ctx.now() - SETTLED_MS) !== was.plan)
      alarm('plan_differs', undefined, { tenant: tenant_id, plan: was.plan })
    if (!agrees) alarm('quotas_differ', 'the table states what the chain does not', { tenant: tenant_id })
    await ctx.table.commit([...writes, ...changed(ctx, [change])])
  })
  forgetTenant(tenant_id)
}
