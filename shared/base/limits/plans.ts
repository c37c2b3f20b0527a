// Everything that differs between plans: prices, quotas, rates and features. Nothing else in the service names a figure of a plan.

/** From the least to the most: a later plan includes the earlier ones. */
export const PLANS = ['free', 'team', 'business', 'enterprise'] as const
export type Plan = (typeof PLANS)[number]

/** No limit. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER

export const FEATURES = {
  sso: 'single sign-on',
  domains: 'domain verification',
  ip_allowlist: 'the IP allowlist',
  customer_keys: 'a customer encryption key',
  evidence_retention: 'an evidence retention of your own',
} as const
export type Feature = keyof typeof FEATURES

/** `null`: agreed with the tenant. Volumes are of a month; counts are of the things that exist at one time (endpoints, connections: per mode). */
export type Quotas = {
  executions: number | null
  tokens: number | null
  storage_bytes: number | null
  users: number
  webhook_endpoints: number
  connections: number
  frameworks: number
  /** So long sealed payloads are kept; headers and the chain remain. */
  evidence_retention_days: number
}

export type PlanFacts = {
  name: string
  /** A month, without tax. `null`: by agreement. How a price at the payment provider names its plan: see billing/read-plan.ts. */
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

/** Volumes that were agreed with a tenant, in place of those of its plan. */
type Agreed = {
  plan: Plan
  plan_granted: Plan
  quotas?:
    | { executions?: number | undefined; tokens?: number | undefined; storage_bytes?: number | undefined }
    | undefined
}

/** The quotas of the plan in effect. Agreed volumes apply only while that is the granted plan. */
export const quotasOf = ({ plan, plan_granted, quotas }: Agreed): Quotas => ({
  ...PLAN_FACTS[plan].quotas,
  ...(plan === plan_granted && quotas),
})

/** Which of two plans includes the other. */
export const higherPlan = (a: Plan, b: Plan): Plan => (PLANS.indexOf(a) >= PLANS.indexOf(b) ? a : b)
export const isHigher = (a: Plan, b: Plan): boolean => PLANS.indexOf(a) > PLANS.indexOf(b)
export const plansWith = (feature: Feature): Plan[] =>
  PLANS.filter((plan) => PLAN_FACTS[plan].features.includes(feature))

/** Rate limits. Without `perDay`, days are not counted. An `UNLIMITED` day is counted, so that the tenant can see its usage. */
export type Figures = { perMinute: number; perSecond: number; perDay?: number }
/** The limits of a tenant, which include a day. */
export type DailyFigures = Required<Figures>

/**
 * The first of two tables of limits in the API specification. The larger figure per minute and per second applies, with the daily cap of
 * this table, so a client that follows either table is never refused.
 */
export const PUBLISHED_1: Record<Exclude<Plan, 'enterprise'>, DailyFigures> = {
  free: { perMinute: 60, perSecond: 10, perDay: 5_000 },
  team: { perMinute: 300, perSecond: 50, perDay: 50_000 },
  business: { perMinute: 1_000, perSecond: 200, perDay: 500_000 },
}

/** The second table of limits in the API specification, which has no daily figure. */
export const PUBLISHED_2: Record<Exclude<Plan, 'enterprise'>, Figures> = {
  free: { perMinute: 100, perSecond: 20 },
  team: { perMinute: 500, perSecond: 50 },
  business: { perMinute: 2_000, perSecond: 200 },
}

/** A tenant with the limits that were negotiated with it. */
type Limited = {
  plan: Plan
  rate_limits?:
    | { per_minute?: number | undefined; per_second?: number | undefined; streams?: number | undefined }
    | undefined
}

export const streamsOf = ({ plan, rate_limits: agreed }: Limited): number => agreed?.streams ?? PLAN_FACTS[plan].streams

/** The plan's limits, overridden by the tenant's negotiated ones. */
export function figuresOf({ plan, rate_limits: agreed }: Limited): DailyFigures {
  const figures = PLAN_FACTS[plan]
  return {
    perMinute: agreed?.per_minute ?? figures.perMinute,
    perSecond: agreed?.per_second ?? figures.perSecond,
    perDay: figures.perDay,
  }
}

/** Per source address: for sign-in routes, and for requests refused before their credential was accepted. */
export const addressFigures = (): Figures => timesFactor({ perMinute: 300, perSecond: 50 })

/** Per source address and e-mail address, for routes whose body names an account. */
export const loginFigures = (): Figures => timesFactor({ perMinute: 10, perSecond: 10 })

/** Per source address: documents of clients that the OAuth server has not read lately. */
export const documentFigures = (): Figures => timesFactor({ perMinute: 10, perSecond: 10 })

/** Per source address: codes of devices that people type in, the confirmation included. */
export const userCodeFigures = (): Figures => timesFactor({ perMinute: 10, perSecond: 10 })

/** Per device code: how often a device may ask, which should be every five seconds. */
export const pollFigures: Figures = { perMinute: 15, perSecond: 2 }

/** The local service raises these limits, because all its callers share one address. */
function timesFactor({ perMinute, perSecond }: Figures): Figures {
  const factor = Number(process.env.ADDRESS_RATE_FACTOR ?? 1)
  return { perMinute: perMinute * factor, perSecond: perSecond * factor }
}
