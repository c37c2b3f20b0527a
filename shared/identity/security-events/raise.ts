// Records what a rule has found: security event, evidence, alert and mails in one transaction, once per window. It takes one
// call whether or not the account exists, so that timing does not reveal it.
import * as z from 'zod'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { iso } from '../../base/lib/clock.ts'
import { info } from '../../base/lib/log.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'
import { entity, key, type Write } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { inTenant } from '../accounts/find.ts'
import type { User } from '../accounts/user.ts'
import { hashOfKey } from './block.ts'
import { countryOf } from './country.ts'
import { NOBODYS_TENANT, type SecurityEvent, securityEvents } from './security-event.ts'

export type Finding = Pick<SecurityEvent, 'type' | 'severity' | 'action_taken' | 'ip'> & {
  /** The account concerned. Without it, and without a tenant, nobody is notified. */
  user?: Pick<User, 'id' | 'tenant_id'> | undefined
  tenant_id?: string | undefined
  /** Figures and names, never an e-mail address or a secret. */
  details?: SecurityEvent['details']
  /** A finding about `of` is recorded once in each window of `ms`. */
  once: { of: string; ms: number }
  /** Owners and administrators get a `security_alert`, or the account itself a `new_sign_in`. */
  notify: 'administrators' | 'account'
  /** Consequences, written even when the finding was recorded before. */
  writes?: readonly Write[]
}

const marks = entity({
  name: 'TOLD',
  unbound: 'bounded',
  schema: z.object({ type: z.string(), of: z.string(), start: z.int(), ms: z.int() }),
  key: (item: { type: string; of: string; start: number }) => ({
    pk: key('COUNTER', `told-${item.type}`, hashOfKey(item.of), String(item.start)),
    sk: 'C',
  }),
  ttl: ({ start, ms }) => Math.ceil((start + 2 * ms) / 1_000),
})

/** False when it was already recorded in this window. */
export async function raise(ctx: Context, finding: Finding): Promise<boolean> {
  const event = await eventOf(ctx, finding)
  const { of, ms } = finding.once
  const now = ctx.now()
  const mark = marks.insert({
    type: `${event.type}-${event.action_taken}`,
    of: hashOfKey(of),
    start: now - (now % ms),
    ms,
  })
  try {
    await ctx.table.commit([mark, ...(finding.writes ?? []), ...recordOf(ctx, event, finding.notify)])
    const { id, type, severity, action_taken } = event
    info('security_event', { id, type, severity, action_taken, request_id: ctx.request.request_id })
    return true
  } catch (error) {
    if (!(error instanceof ConditionFailed) || error.index !== 0) throw error
    if (finding.writes?.length) await ctx.table.commit(finding.writes)
    return false
  }
}

async function eventOf(
  ctx: Context,
  { user, tenant_id, details = {}, ip, ...finding }: Finding,
): Promise<SecurityEvent> {
  return {
    tenant_id: user?.tenant_id ?? tenant_id ?? NOBODYS_TENANT,
    id: ctx.id('sev'),
    type: finding.type,
    severity: finding.severity,
    at: iso(ctx.now()),
    user_id: user?.id ?? null,
    ip,
    country: await countryOf(ip),
    action_taken: finding.action_taken,
    details,
  }
}

function recordOf(ctx: Context, event: SecurityEvent, notify: Finding['notify']): Write[] {
  const stored = securityEvents.insert(event)
  if (event.tenant_id === NOBODYS_TENANT) return [stored]
  const within = inTenant(ctx, event.tenant_id)
  const { id, type, severity, action_taken, user_id } = event
  return [
    stored,
    ...changed(
      within,
      [
        {
          action: 'anomaly.detected',
          artifact: 'identity.anomaly.detected',
          subject: { type: 'security_event', id },
          data: { type, severity, action_taken, ...(user_id !== null && { user_id }) },
          country: event.country ?? undefined,
          ...(notify === 'administrators' && { events: [alertOf(within, event)] }),
        },
      ],
      { mails: [mailOf(within, event, notify)] },
    ),
  ]
}

function alertOf(ctx: Context, { id, type, severity, action_taken, details, user_id }: SecurityEvent): EventDraft {
  return {
    type: 'alert.firing',
    subject: { id, version: 1 },
    data: {
      alert_id: ctx.id('alt'),
      rule_id: `security:${type}`,
      severity,
      title: `Security event ${type}`,
      status: 'firing',
      value: String(details.count ?? 1),
      threshold: String(details.threshold ?? 1),
      labels: { security_event_id: id, action_taken, ...(user_id !== null && { user_id }) },
    },
  }
}

function mailOf(ctx: Context, event: SecurityEvent, notify: Finding['notify']): Mail {
  const { type, action_taken, ip, country, at, user_id, details } = event
  const facts = { type, action_taken, ip, country: country ?? 'unknown', at }
  if (notify === 'administrators' || user_id === null) {
    return newMail(ctx, 'security_alert', { roles: ['owner', 'admin'] }, facts)
  }
  return newMail(ctx, 'new_sign_in', { user_id }, { ...facts, device: String(details.device ?? 'unknown') })
}
