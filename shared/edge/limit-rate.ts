// Rate limits and the quota of the plan. This layer is between authentication and authorisation, because limits belong to tenants.
import type { Space } from '../base/context.ts'
import { Failure } from '../base/lib/failure.ts'
import { sha256Hex } from '../base/lib/json.ts'
import { warn } from '../base/lib/log.ts'
import { addressFigures, figuresOf, loginFigures } from '../base/limits/plans.ts'
import { SECONDS_OF, takeOne, untouched, usageOf, type Verdict, type Windows } from '../base/limits/window.ts'
import { key, spaceKey } from '../base/table/entity.ts'
import type { Table } from '../base/table/table.ts'
import type { Tenant } from '../base/tenant/tenant.ts'
import { asksForAction } from './mcp-call.ts'
import type { Call, Layer } from '../base/wire/call.ts'
import type { Route } from '../base/wire/route.ts'

export const limitRate = (route: Route): Layer => ({
  before: async ({ event }) => {
    const { call } = event
    if (route.rate === 'none') return
    if (call.started) call.rate = { verdict: await call.started.rate, category: route.rate }
    else if (call.ctx) call.rate = await takeOpenly(route, call, call.ctx.table)
    const seconds = call.rate?.verdict.retryAfterSeconds
    if (seconds) throw tooMany(seconds)
    if (route.volume && asksForAction(route, call)) await mustHaveQuota(call)
  },
})

/** The sandbox has no quota. */
async function mustHaveQuota(call: Call): Promise<void> {
  const quota = call.ctx?.space.mode === 'live' ? (await call.started?.tenant)?.quota : undefined
  if (!quota || !call.ctx) return
  const seconds = Math.ceil((Date.parse(quota.until) - call.ctx.now()) / 1_000)
  if (seconds <= 0) return
  if (quota.executions_left !== undefined) call.quotaLeft = quota.executions_left
  if (!quota.blocked) return
  throw new Failure(
    'rate_limited',
    'You have used more than your plan includes. Change your plan, or wait for the next period.',
    {
      code: 'quota_exceeded',
      retryAfterSeconds: seconds,
    },
  )
}

export const tooMany = (seconds: number) =>
  new Failure('rate_limited', `You exceeded the rate limit. Retry in ${seconds} seconds.`, {
    retryAfterSeconds: seconds,
  })

export function takeFromTenant(table: Table, space: Space, tenant: Tenant): Promise<Verdict> {
  return takeOne(table, spaceKey(space, 'RL'), figuresOf(tenant))
}

/** The values of the rate limit headers for a request that is not counted. */
export async function lookAtTenant(table: Table, space: Space, tenant: Tenant): Promise<Verdict> {
  try {
    const { limit, remaining, reset } = (await tenantUsage(table, space, tenant)).minute
    return { per: 'minute', limit, remaining, reset }
  } catch (error) {
    warn('rate_counter_unavailable', error)
    return untouched(figuresOf(tenant), table.clock.now())
  }
}

export const tenantUsage = (table: Table, space: Space, tenant: Tenant): Promise<Windows> =>
  usageOf(table, spaceKey(space, 'RL'), figuresOf(tenant))

/** Counts in the window of a source address: sign-in routes, and requests refused before their credential was accepted. */
export async function takeFromAddress(table: Table, ip: string): Promise<NonNullable<Call['rate']>> {
  return { verdict: await takeOne(table, key('RL', 'ip', ip || 'unknown'), addressFigures()), category: 'auth' }
}

/**
 * Counts per source address, then per account, so attempts on one account are refused before the address is. Once the window
 * of the address is exhausted, accounts are not counted: each invented e-mail address would cost a write.
 */
async function takeOpenly(route: Route, call: Call, table: Table): Promise<NonNullable<Call['rate']>> {
  const ofAddress = await takeFromAddress(table, call.ip)
  if (!route.perEmail || ofAddress.verdict.retryAfterSeconds) return ofAddress
  const ofLogin = await takeFromLogin(table, call)
  return ofLogin.verdict.retryAfterSeconds ? ofLogin : ofAddress
}

async function takeFromLogin(table: Table, { ip, body }: Call): Promise<NonNullable<Call['rate']>> {
  const { email } = body as { email: string } // the body schema of a `perEmail` row has it
  const login = sha256Hex(`${ip}\n${email.toLowerCase()}`)
  return { verdict: await takeOne(table, key('RL', 'login', login), loginFigures()), category: 'auth' }
}

/** The state of the window as the fields that the IETF drafts (draft-ietf-httpapi-ratelimit-headers-08). */
export const rateFields = ({ per, limit, remaining, reset }: Verdict, now: number): Record<string, string> => ({
  'RateLimit-Policy': `"${per}";q=${limit};w=${SECONDS_OF[per]}`,
  RateLimit: `"${per}";r=${remaining};t=${Math.max(0, reset - Math.floor(now / 1_000))}`,
})

/** The values of the rate limit headers on routes without a limit. */
export const neverRefused = (now: number): NonNullable<Call['rate']> => ({
  verdict: untouched(addressFigures(), now),
  category: 'global',
})
