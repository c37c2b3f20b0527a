// How much a tenant may ask for. The specification publishes two tables; in effect is the larger figure of the two per
// minute and burst with the daily cap of the first, so a client written to either table is never refused.
import type { Plan, Tenant } from '../tenant/tenant.ts'

/** Without `perDay` nobody counts days; an `UNLIMITED` day is counted all the same, for the tenant to see. */
export type Figures = { perMinute: number; perSecond: number; perDay?: number }
/** Those of a tenant, whose days are counted. */
export type DailyFigures = Required<Figures>

/** Stands for no limit. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER

/** access-events-limits.md, "Limits", table 1. */
export const PUBLISHED_1: Record<Exclude<Plan, 'enterprise'>, DailyFigures> = {
  free: { perMinute: 60, perSecond: 10, perDay: 5_000 },
  team: { perMinute: 300, perSecond: 50, perDay: 50_000 },
  business: { perMinute: 1_000, perSecond: 200, perDay: 500_000 },
}

/** The same chapter, table 2; it has no daily figure. */
export const PUBLISHED_2: Record<Exclude<Plan, 'enterprise'>, Figures> = {
  free: { perMinute: 100, perSecond: 20 },
  team: { perMinute: 500, perSecond: 50 },
  business: { perMinute: 2_000, perSecond: 200 },
}

export const IN_EFFECT: Record<Plan, DailyFigures> = {
  free: { perMinute: 100, perSecond: 20, perDay: 5_000 },
  team: { perMinute: 500, perSecond: 50, perDay: 50_000 },
  business: { perMinute: 2_000, perSecond: 200, perDay: 500_000 },
  enterprise: { perMinute: 2_000, perSecond: 200, perDay: UNLIMITED },
}

/** Event streams open at a time, per tenant and mode. */
export const STREAMS: Record<Plan, number> = { free: 1, team: 5, business: 20, enterprise: 100 }

export const streamsOf = ({ plan, rate_limits: agreed }: Pick<Tenant, 'plan' | 'rate_limits'>): number =>
  agreed?.streams ?? STREAMS[plan]

/** Those of the plan, but for what was agreed with the customer. */
export function figuresOf({ plan, rate_limits: agreed }: Pick<Tenant, 'plan' | 'rate_limits'>): DailyFigures {
  const figures = IN_EFFECT[plan]
  return {
    perMinute: agreed?.per_minute ?? figures.perMinute,
    perSecond: agreed?.per_second ?? figures.perSecond,
    perDay: figures.perDay,
  }
}

/** Per source address: sign-in routes, and every request refused before its credential was accepted. */
export const addressFigures = (): Figures => timesFactor({ perMinute: 300, perSecond: 50 })

/** Per source address and e-mail address, on routes that name an account. */
export const loginFigures = (): Figures => timesFactor({ perMinute: 10, perSecond: 10 })

/** On a laptop everybody comes from one address. */
function timesFactor({ perMinute, perSecond }: Figures): Figures {
  const factor = Number(process.env.ADDRESS_RATE_FACTOR ?? 1)
  return { perMinute: perMinute * factor, perSecond: perSecond * factor }
}
