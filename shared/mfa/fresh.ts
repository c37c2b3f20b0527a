// Some changes need to know that the person is there now, not only that somebody holds their session.
import type { Context, Principal } from '../context.ts'
import { forbidden } from '../lib/failure.ts'
import { tenantOf } from '../tenants/find.ts'
import type { Tenant } from '../tenants/tenant.ts'

const FRESH_MS = 10 * 60_000
const MINUTE_MS = 60_000

const isWithin = (at: number | undefined, ms: number, now: number) => at !== undefined && now - at < ms

/** Throws 403 unless the person signed in or showed a factor within ten minutes. For changes of the factors themselves. */
export function requireFreshSignIn(ctx: Context): void {
  const { signed_in_at, mfa_at } = ctx.principal
  const now = ctx.now()
  if (isWithin(signed_in_at, FRESH_MS, now) || isWithin(mfa_at, FRESH_MS, now)) return
  throw forbidden('recent sign-in or second factor required')
}

/**
 * Throws 403 where the tenant wants a second factor shown lately for sensitive changes and this session's is too old. Keys
 * and OAuth tokens are not asked: they show none, and have no rights to spare for that.
 */
export function requireRecentFactor(ctx: Context, tenant: Pick<Tenant, 'mfa_policy'>): void {
  const { step_up_minutes } = tenant.mfa_policy
  if (step_up_minutes === 0 || !isSession(ctx.principal)) return
  if (isWithin(ctx.principal.mfa_at, step_up_minutes * MINUTE_MS, ctx.now())) return
  throw forbidden('recent second factor required')
}

/** The same for verbs that have no use for the tenant otherwise. */
export async function requireStepUp(ctx: Context): Promise<void> {
  if (isSession(ctx.principal)) requireRecentFactor(ctx, await tenantOf(ctx.table, ctx.space.tenant_id))
}

const isSession = ({ credential }: Principal) => credential === 'session'
