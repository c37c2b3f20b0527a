// Carries out a step of an alert: the alert, and on its firing the mails, the task and the incident, in one transaction.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'
import { openTask } from '../../govern/tasks/open-task.ts'
import type { Alert } from '../alerts/alert.ts'
import type { AlertRule } from '../alerts/rule.ts'
import { type After, isMailDue, isMuted } from '../alerts/states.ts'
import { alertParts, commitAlert, type Known } from '../alerts/store-alert.ts'
import { finishIncident } from '../incidents/finish-incident.ts'
import { incidentFor } from '../incidents/incident-for.ts'

type Step = { known: Known; after: After; at: number }

export async function carryOut(ctx: Context, rule: AlertRule, { known, after, at }: Step): Promise<void> {
  const { alert, moved } = after
  if (!alert) return
  const mails = mailsOf(ctx, rule, { alert, moved, at })
  if (!moved && mails.length === 0 && isUnchanged(known.alert, alert)) return
  const hasFired = moved === 'firing'
  const isFirst = hasFired && alert.occurrences === 1 && alert.task_id === undefined
  const task = isFirst && rule.notify.task && !isMuted(rule, at) ? await taskFor(ctx, rule, alert) : undefined
  const incident = isFirst && rule.auto_incident && !isMuted(rule, at) ? await incidentFor(ctx, rule, alert) : undefined
  const next: Alert = {
    ...alert,
    ...(mails.length > 0 && moved !== 'resolved' && { notified_at: iso(at) }),
    ...(task && { task_id: task.task.id }),
    ...(incident && { incident_id: incident.id }),
  }
  const parts = alertParts(ctx, known, next, moved)
  await commitAlert(ctx, parts, {
    writes: [...(task?.writes ?? []), ...(incident?.writes ?? [])],
    transitions: [...(task?.transitions ?? []), ...(incident?.transitions ?? [])],
    mails: [...mails, ...(task?.mails ?? [])],
  })
  if (incident) await finishIncident(ctx, incident.id)
}

/** How long an open alert may hold a value that is no longer the newest. */
const STALE_MS = 3_600_000

/** A newer value alone is written once an hour, so that looking each minute costs nothing and missing data shows. */
const isUnchanged = (was: Alert | undefined, next: Alert): boolean =>
  was !== undefined &&
  was.clear_since === next.clear_since &&
  Date.parse(next.data_at) - Date.parse(was.data_at) < STALE_MS

type Told = { alert: Alert; moved: After['moved']; at: number }

function mailsOf(ctx: Context, rule: AlertRule, { alert, moved, at }: Told): Mail[] {
  const { roles } = rule.notify
  if (roles.length === 0 || isMuted(rule, at)) return []
  const { title, severity, id, notified_at } = alert
  const facts = { name: title, severity, alert: id, at: iso(at) }
  if (moved === 'resolved') return notified_at ? [newMail(ctx, 'alert_resolved', { roles }, facts)] : []
  return isMailDue(rule, alert, at) ? [newMail(ctx, 'alert_firing', { roles }, facts)] : []
}

const taskFor = (ctx: Context, rule: AlertRule, { id, title, severity }: Alert) =>
  openTask(ctx, {
    title: title.slice(0, 200),
    description: `An alert of the rule ${rule.name} fires.`,
    kind: 'general',
    priority: severity === 'critical' ? 'urgent' : severity === 'high' ? 'high' : 'medium',
    source: { type: 'alert', id },
  })
