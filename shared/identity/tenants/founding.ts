import type { Change } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { genesisWrites } from '../../ledger/evidence/checkpoint/genesis.ts'
import { iso } from '../../base/lib/clock.ts'
import { countFromHere } from '../accounts/head-count.ts'
import type { Write } from '../../base/table/entity.ts'
import { firstPointers } from '../../base/tenant/governance-pointer.ts'
import { type AgreedQuotas, type Plan, Tenant, tenants } from '../../base/tenant/tenant.ts'

/** `quotas`: only with a plan that is granted. */
export type NewFounding = { id: string; name: string; plan: Plan; quotas?: AgreedQuotas | undefined }
export type Founding = { tenant: Tenant; writes: Write[]; change: Change }

/** A new tenant with the genesis of its two chains, and nothing set that governs it, for the transaction that also creates its first account. */
export async function foundingOf(ctx: Context, of: NewFounding): Promise<Founding> {
  const proof = of.plan === 'free' ? {} : { artifact_id: ctx.id('art') }
  const tenant = Tenant.parse({
    ...of,
    plan_granted: of.plan,
    plan_artifact_id: proof.artifact_id,
    status: 'active',
    created_at: iso(ctx.now()),
  })
  return {
    tenant,
    writes: [
      tenants.insert(tenant),
      ...firstPointers(tenant.id),
      countFromHere(tenant.id),
      ...(await genesisWrites(tenant.id, ctx.now())),
    ],
    change: {
      action: 'tenant.created',
      artifact: 'identity.tenant.created',
      ...proof,
      subject: { type: 'tenant', id: tenant.id, name: tenant.name },
      data: { plan: tenant.plan, ...(tenant.quotas && { quotas: tenant.quotas }) },
    },
  }
}
