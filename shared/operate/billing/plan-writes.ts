// The plan that follows from all subscriptions, for the commit that changes one of them. A lower plan loses no data and locks
// nobody out: what exists works on, only more of it is refused; single sign-on is no longer the only way in.
import type { Change } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { hasFeature } from '../../base/tenant/retention.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import type { Write } from '../../base/table/entity.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import type { Plan } from '../../base/limits/plans.ts'
import { AgreedQuotas, type Tenant, tenants } from '../../base/tenant/tenant.ts'
import { ssoConfigurations } from '../../identity/sso/settings/configuration.ts'
import { effectivePlan, type Subscription } from './subscription.ts'
import { alarm } from '../../base/lib/log.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'

/** `granted`: what the operator granted, as far as it is proven. `agrees`: so do the quotas that were granted with it. */
type PlanWrites = { granted: Plan; agrees: boolean; writes: Write[]; change?: Change }

export async function planWrites(ctx: Context, all: readonly Subscription[]): Promise<PlanWrites> {
  const tenant = await freshTenant(ctx.table, ctx.space.tenant_id)
  const { plan: granted, quotas } = await grantOf(ctx, tenant)
  const plan = effectivePlan(granted, all, ctx.now())
  const agrees = canonicalJson(quotas ?? {}) === canonicalJson(tenant.quotas ?? {})
  if (plan === tenant.plan && agrees) return { granted, agrees, writes: [] }
  const changes = [
    ...(plan === tenant.plan ? [] : [{ path: 'plan', before: tenant.plan, after: plan }]),
    ...(agrees ? [] : [{ path: 'quotas', before: tenant.quotas ?? null, after: quotas ?? null }]),
  ]
  const losesSso = hasFeature(tenant, 'sso') && !hasFeature({ plan }, 'sso')
  const relaxed = losesSso ? await withoutEnforcement(ctx) : []
  return {
    granted,
    agrees,
    writes: [
      tenants.replace({ ...tenant, plan, quotas, quota: undefined }, tenant, new ChangedMeanwhile()),
      ...relaxed,
    ],
    change: {
      action: 'tenant.plan_changed',
      artifact: 'identity.tenant.updated',
      subject: { type: 'tenant', id: tenant.id, name: tenant.name },
      data: { changed_fields: changes.map(({ path }) => path), plan },
      changes: [...changes, ...relaxed.map(() => ({ path: 'sso.enforce', before: true, after: false }))],
    },
  }
}

async function withoutEnforcement({ table, space }: Context): Promise<Write[]> {
  const sso = await table.get(ssoConfigurations, { tenant_id: space.tenant_id })
  return sso?.enforce ? [ssoConfigurations.replace({ ...sso, enforce: false }, sso, new ChangedMeanwhile())] : []
}

export type Grant = { plan: Plan; quotas?: AgreedQuotas | undefined }

/** What the operator granted. It counts only if the chain lists the founding of this tenant with this plan: the table alone proves nothing. */
export async function grantOf(ctx: Context, tenant: Tenant): Promise<Grant> {
  const { id, plan_granted, plan_artifact_id } = tenant
  if (plan_granted === 'free') return { plan: 'free' }
  const space = { tenant_id: id, mode: 'live' as const }
  const header = plan_artifact_id === undefined ? undefined : await readSequenced({ ...ctx, space }, plan_artifact_id)
  const isIts =
    header?.type === 'identity.tenant.created' &&
    header.chain === chainName(space) &&
    header.subject?.type === 'tenant' &&
    header.subject.id === id &&
    header.data?.plan === plan_granted
  if (isIts) return { plan: plan_granted, quotas: AgreedQuotas.optional().parse(header.data?.quotas) }
  alarm('plan_grant_without_evidence', 'the table states what the chain does not prove', { tenant: id, plan_granted })
  return { plan: 'free' }
}
