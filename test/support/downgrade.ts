import { openTable, systemContext } from '../../shared/base/context.ts'
import { tenants } from '../../shared/base/tenant/tenant.ts'
import { keepPlan } from '../../shared/operate/billing/work.ts'

/** What was agreed with the tenant ends: the daily step takes it back to the free plan. */
export async function downgrade(tenant_id: string): Promise<void> {
  await openTable().update(tenants.key({ id: tenant_id }), { set: { plan_granted: 'free' } })
  await keepPlan(systemContext({ tenant_id, mode: 'live' }))
}
