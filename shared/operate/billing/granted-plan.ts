import type { Context } from '../../base/context.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Plan } from '../../base/limits/plans.ts'
import { AgreedQuotas, type Tenant } from '../../base/tenant/tenant.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'

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
