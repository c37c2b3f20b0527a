// Rate limits per plan. The API specification publishes two tables. The larger figure per minute and per second applies,
// with the daily cap of the first table, so a client that follows either table is never refused.
import { type Plan, PLAN_FACTS } from './plans.ts'

/** Without `perDay`, days are not counted. An `UNLIMITED` day is counted, so that the tenant can see its usage. */
export type Figures = { perMinute: number; perSecond: number; perDay?: number }
/** The limits of a tenant, which include a day. */
export type DailyFigures = Required<Figures>

/** The first table of limits in the API specification. */
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
