import { type Feature, FEATURES, PLAN_FACTS, plansWith } from '../limits/plans.ts'
import { forbidden } from '../lib/failure.ts'
import type { Tenant } from './tenant.ts'

export const hasFeature = ({ plan }: Pick<Tenant, 'plan'>, feature: Feature): boolean =>
  PLAN_FACTS[plan].features.includes(feature)

/** Throws 403, which names the plans that include the feature. */
export function mustHaveFeature(tenant: Pick<Tenant, 'plan'>, feature: Feature): void {
  if (hasFeature(tenant, feature)) return
  const plans = plansWith(feature).join(' or ')
  throw forbidden(`Your plan does not include ${FEATURES[feature]}. Change to the plan ${plans}.`, {
    code: 'plan_feature',
  })
}
