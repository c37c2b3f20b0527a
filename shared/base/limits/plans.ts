// Everything that differs between plans: prices, quotas, rates and features. Nothing else in the service names a figure of a plan.

/** From the least to the most: a later plan includes the earlier ones. */
export const PLANS = ['free', 'team', 'business', 'enterprise'] as const
export type Plan = (typeof PLANS)[number]

/** Stands for no limit. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER

export const FEATURES = {
  sso: 'single sign-on',
  domains: 'domain verification',
  ip_allowlist: 'the IP allowlist',
  customer_keys: 'a customer encryption key',
  evidence_retention: 'an evidence retention of your own',
} as const
export type Feature = keyof typeof FEATURES

/** `null`: agreed with the tenant. Volumes are of a month, counts of what there is at a time (endpoints and connections: per mode). */
export type Quotas = {
  executions: number | null
  tokens: number | null
  storage_bytes: number | null
  users: number
  webhook_endpoints: number
  connections: number
  frameworks: number
  /** So long sealed payloads are kept; headers and the chain stay. */
  evidence_retention_days: number
}

export type PlanFacts = {
  name: string
  /** A month, without tax. `null`: by agreement. The price at the payment provider has the look-up key `<plan>_monthly`. */
  price: { amount_cents: number; currency: string } | null
  perMinute: number
  perSecond: number
  perDay: number
  /** Event streams that may be open at the same time, per mode. */
  streams: number
  quotas: Quotas
  features: readonly Feature[]
}

const MEGA = 1_000_000
const GIGABYTE = 1_000_000_000

export const PLAN_FACTS: Record<Plan, PlanFacts> = {
  free: {
    name: 'Free',
    price: { amount_cents: 0, currency: 'eur' },
    perMinute: 100,
    perSecond: 20,
    perDay: 5_000,
    streams: 1,
    quotas: {
      executions: 1_000,
      tokens: MEGA,
      storage_bytes: GIGABYTE,
      users: 3,
      webhook_endpoints: 2,
      connections: 2,
      frameworks: 1,
      evidence_retention_days: 365,
    },
    features: [],
  },
  team: {
    name: 'Team',
    price: { amount_cents: 19_900, currency: 'eur' },
    perMinute: 500,
    perSecond: 50,
    perDay: 50_000,
    streams: 5,
    quotas: {
      executions: 25_000,
      tokens: 25 * MEGA,
      storage_bytes: 25 * GIGABYTE,
      users: 25,
      webhook_endpoints: 10,
      connections: 10,
      frameworks: 2,
      evidence_retention_days: 365,
    },
    features: [],
  },
  business: {
    name: 'Business',
    price: { amount_cents: 119_900, currency: 'eur' },
    perMinute: 2_000,
    perSecond: 200,
    perDay: 500_000,
    streams: 20,
    quotas: {
      executions: 250_000,
      tokens: 250 * MEGA,
      storage_bytes: 250 * GIGABYTE,
      users: 200,
      webhook_endpoints: 50,
      connections: UNLIMITED,
      frameworks: 4,
      evidence_retention_days: 2_190,
    },
    features: ['sso', 'domains'],
  },
  enterprise: {
    name: 'Enterprise',
    price: null,
    perMinute: 2_000,
    perSecond: 200,
    perDay: UNLIMITED,
    streams: 100,
    quotas: {
      executions: null,
      tokens: null,
      storage_bytes: null,
      users: UNLIMITED,
      webhook_endpoints: UNLIMITED,
      connections: UNLIMITED,
      frameworks: UNLIMITED,
      evidence_retention_days: 2_555,
    },
    features: ['sso', 'domains', 'ip_allowlist', 'customer_keys', 'evidence_retention'],
  },
}

/** What a tenant has in place of what its plan includes. */
type Agreed = {
  plan: Plan
  plan_granted: Plan
  quotas?:
    | { executions?: number | undefined; tokens?: number | undefined; storage_bytes?: number | undefined }
    | undefined
}

/** Of the plan in effect; what was agreed goes with the plan that was granted. */
export const quotasOf = ({ plan, plan_granted, quotas }: Agreed): Quotas => ({
  ...PLAN_FACTS[plan].quotas,
  ...(plan === plan_granted && quotas),
})

/** Which of two plans includes the other. */
export const higherPlan = (a: Plan, b: Plan): Plan => (PLANS.indexOf(a) >= PLANS.indexOf(b) ? a : b)
export const isHigher = (a: Plan, b: Plan): boolean => PLANS.indexOf(a) > PLANS.indexOf(b)
export const plansWith = (feature: Feature): Plan[] =>
  PLANS.filter((plan) => PLAN_FACTS[plan].features.includes(feature))
