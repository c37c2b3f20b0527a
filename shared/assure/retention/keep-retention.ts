// The hourly step that removes payloads whose time is over. It reads the list of executions from the oldest on, once.
import { DAY_MS, HOUR_MS, iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import type { OnErased } from '../../base/ports/effects.ts'
import type { Stored } from '../../base/table/entity.ts'
import { daysInEffect, type Retention, retentionDays, retentions } from '../../base/tenant/retention.ts'
import { RETENTION_DAYS_MIN, tenants } from '../../base/tenant/tenant.ts'
import { executions } from '../../govern/executions/execution.ts'
import { freshPass } from '../../ledger/evidence/verify/results.ts'
import { makesPayloads } from '../exports/export.ts'
import { lastPlace, nextPage } from './next-page.ts'
import { removePast } from './remove-past.ts'
import { GRACE_MS } from './rules.ts'
import { provenStatement, state } from './statement.ts'

const PER_SHARD = 12
/** Together 3,840 executions an hour. */
const PAGES_MAX = 40
const WAITING_MAX = 200

const read = ({ table, space }: Context) =>
  Promise.all([table.get(tenants, { id: space.tenant_id }), table.get(retentions, space)])

/** The grace of the first statement ends before the first payload is past its time, also if the step runs late. */
const FIRST_STATED_MS = (RETENTION_DAYS_MIN - 2) * DAY_MS - GRACE_MS

/** Two items an hour. In the first months of a tenant there is nothing to state. */
export async function hasRetention(ctx: Context): Promise<boolean> {
  const [tenant, was] = await read(ctx)
  if (!tenant) return false
  if (!was) return ctx.now() >= Date.parse(tenant.created_at) + FIRST_STATED_MS
  return was.days !== retentionDays(tenant) || was.next_at <= iso(ctx.now())
}

/** `erased`: what else has to go. May be repeated, and may die at any point. */
export async function keepRetention(ctx: Context, erased: OnErased): Promise<void> {
  const [tenant, was] = await read(ctx)
  if (!tenant) return
  const pass = await freshPass(ctx)
  const stated = was && (await provenStatement(ctx, was, pass))
  if (!was || !stated || stated.days !== retentionDays(tenant)) return state(ctx, tenant, { was, stated })
  if (pass?.result !== 'valid' || (await makesPayloads(ctx)))
    return void (await moved(ctx, was, { next_at: iso(ctx.now() + HOUR_MS) }))
  await removeAll(ctx, was, daysInEffect(stated, ctx.now()), erased)
}

async function removeAll(ctx: Context, was: Stored<Retention>, days: number, erased: OnErased): Promise<void> {
  let at = await lookAgain(ctx, was, days, erased)
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const next = await nextPage(ctx, at, { days, perShard: PER_SHARD })
    if (!next) return void (await moved(ctx, at, { ...lastPlace(ctx, at, days), next_at: nextLook(ctx, at) }))
    const waiting = [...at.waiting, ...(await removePast(ctx, next.found, days, erased))]
    if (waiting.length > WAITING_MAX) return void (await moved(ctx, at, { next_at: iso(ctx.now() + HOUR_MS) }))
    at = await moved(ctx, at, { month: next.month, after: next.after, waiting })
  }
}

/** Those that were read too early and whose time may have come. */
async function lookAgain(ctx: Context, was: Stored<Retention>, days: number, erased: OnErased) {
  const now = iso(ctx.now())
  const due = was.waiting.filter(({ at }) => at <= now)
  if (due.length === 0) return was
  const found = await ctx.table.getAll(
    executions,
    due.map(({ id }) => ({ ...ctx.space, id })),
  )
  const still = await removePast(ctx, found, days, erased)
  return moved(ctx, was, { waiting: [...was.waiting.filter(({ at }) => at > now), ...still] })
}

/** A day later, or when the first of those that wait may be removed. */
const nextLook = (ctx: Context, { waiting }: Retention): string =>
  [...waiting.map(({ at }) => at), iso(ctx.now() + DAY_MS)].toSorted()[0] ?? ''

async function moved(ctx: Context, was: Stored<Retention>, change: Partial<Retention>): Promise<Stored<Retention>> {
  const next = { ...was, ...change }
  await ctx.table.commit([retentions.replace(next, was)])
  return { ...next, _v: was._v + 1 }
}
