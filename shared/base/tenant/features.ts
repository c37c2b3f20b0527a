// Features that only some plans include.
import { forbidden } from '../lib/failure.ts'
import type { Plan, Tenant } from './tenant.ts'

const FEATURES = {
  sso: { name: 'single sign-on', plans: ['business', 'enterprise'] },
  domains: { name: 'domain verification', plans: ['business', 'enterprise'] },
  ip_allowlist: { name: 'the IP allowlist', plans: ['enterprise'] },
  customer_keys: { name: 'a customer encryption key', plans: ['enterprise'] },
} as const satisfies Record<string, { name: string; plans: readonly Plan[] }>

export type Feature = keyof typeof FEATURES

const plansOf = (feature: Feature): readonly Plan[] => FEATURES[feature].plans

export const hasFeature = ({ plan }: Pick<Tenant, 'plan'>, feature: Feature): boolean => plansOf(feature).includes(plan)

/** Throws 403, which names the plans that include the feature. */
export function mustHaveFeature(tenant: Pick<Tenant, 'plan'>, feature: Feature): void {
  if (hasFeature(tenant, feature)) return
  const plans = plansOf(feature).join(' or ')
  throw forbidden(`Your plan does not include ${FEATURES[feature].name}. Change to the plan ${plans}.`, {
    code: 'plan_feature',
  })
}
