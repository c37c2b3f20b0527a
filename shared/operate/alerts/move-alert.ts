// Moves of an alert outside of looks at its condition: people acknowledge or resolve it, or its rule or its incident is gone.
import { iso, MINUTE_MS } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { conflict, Failure, notFound } from '../../base/lib/failure.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { find } from '../definitions/definitions.ts'
import { type Alert, alerts, lastAlerts, lastAlertsKey } from './alert.ts'
import { minutesIn, RULES } from './rule.ts'
import { isOpen, resolved, withMove } from './states.ts'
import { alertParts, commitAlert } from './store-alert.ts'

/** Until when an acknowledged alert sleeps whose rule never wakes it. */
const NEVER = '9999-12-31T23:59:59.999Z'

export async function findAlert(
  { table, space }: Pick<Context, 'table' | 'space'>,
  id: string,
): Promise<Stored<Alert>> {
  const found = await table.get(alerts, { ...space, id })
  if (!found) throw notFound('alert')
  return found
}

export type Acknowledgement = { id: string; note?: string | undefined; snooze_minutes?: number | undefined }

/** Acknowledging again begins its snooze anew. Throws 404, and 409 for one that is resolved. */
export const acknowledge = (ctx: Context, { id, note, snooze_minutes }: Acknowledgement): Promise<Stored<Alert>> =>
  retryWhenChanged(async () => {
    const was = await findAlert(ctx, id)
    if (was.status === 'resolved') throw conflict('The alert is resolved. There is nothing left to acknowledge.')
    const minutes = snooze_minutes ?? (await ackTimeout(ctx, was))
    const now = iso(ctx.now())
    const by = ctx.principal.id
    const next: Alert = {
      ...was,
      status: 'acked',
      acked_by: by,
      acked_at: now,
      snoozed_until: minutes === 0 ? NEVER : iso(ctx.now() + minutes * MINUTE_MS),
    }
    return move(ctx, was, withMove(next, { at: now, status: 'acked', by, ...(note && { note }) }))
  })

/** How long an acknowledgement lasts (minutes); the usual time where the rule is gone. */
const ackTimeout = async (ctx: Context, { rule_id }: Alert): Promise<number> => {
  const rule = await find(ctx, RULES, rule_id).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    return undefined
  })
  return minutesIn(rule?.ack_timeout ?? '8h')
}

export type Resolved = { alert: Stored<Alert>; repeated: boolean }

/** Once resolved, a repeat changes nothing. Throws 404. */
export const resolveAlert = (
  ctx: Context,
  { id, note }: { id: string; note?: string | undefined },
): Promise<Resolved> =>
  retryWhenChanged(async () => {
    const was = await findAlert(ctx, id)
    if (was.status === 'resolved') return { alert: was, repeated: true }
    const end = { now: iso(ctx.now()), by: ctx.principal.id, as: 'manual', note } as const
    return { alert: await move(ctx, was, resolved(was, end).alert), repeated: false }
  })

async function move(ctx: Context, was: Stored<Alert>, next: Alert): Promise<Stored<Alert>> {
  const pointer = await ctx.table.get(lastAlerts, was)
  const parts = alertParts(ctx, { alert: was, pointer }, next, next.status)
  return commitAlert(ctx, parts, {}, next.id)
}

/** Resolves every open alert of these rules. Repeating it changes nothing. */
export async function resolveAlertsOf(ctx: Context, ruleIds: readonly string[]): Promise<void> {
  const last = await ctx.table.query(lastAlerts, { pk: lastAlertsKey(ctx.space) })
  const open = last.filter(({ rule_id, resolved_at }) => resolved_at === undefined && ruleIds.includes(rule_id))
  for (const { alert_id } of open) await endAlert(ctx, alert_id, 'deleted')
}

/** Without effect on one that is resolved or missing. */
export const endAlert = (ctx: Context, id: string, as: NonNullable<Alert['resolution']>): Promise<void> =>
  retryWhenChanged(async () => {
    const was = await ctx.table.get(alerts, { ...ctx.space, id })
    if (!isOpen(was)) return
    const pointer = await ctx.table.get(lastAlerts, was)
    const { alert, moved } = resolved(was, { now: iso(ctx.now()), by: ctx.principal.id, as })
    await commitAlert(ctx, alertParts(ctx, { alert: was, pointer }, alert, moved))
  })
