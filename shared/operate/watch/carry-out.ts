// Carries out a step of an alert: the alert, and on its firing the mails, the task and the incident, in one transaction.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Write } from '../../base/table/entity.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import { openTask } from '../../govern/tasks/open-task.ts'
import { workers } from '../../govern/tasks/worker.ts'
import type { Alert } from '../alerts/alert.ts'
import type { AlertRule } from '../alerts/rule.ts'
import { type After, isMailDue, isMuted } from '../alerts/states.ts'
import { type AlertParts, alertParts, commitAlert, type Known } from '../alerts/store-alert.ts'
import { finishIncident } from '../incidents/finish-incident.ts'
import { incidentFor } from '../incidents/create-incident.ts'

type Step = { known: Known; after: After; at: number }

/** The parts of one commit, and what is left to do after it. */
type Made = {
  parts: AlertParts
  more: { writes: Write[]; transitions: Transition[]; mails: Mail[] }
  finish: () => Promise<void>
}

/**
 * Does nothing for a step that changes nothing. Throws `ConditionFailed` where somebody has moved the alert since it was read; the
 * next look then starts from there. Tasks of the incident are opened after the commit; the sweeper does what a crash left.
 */
export async function carryOut(ctx: Context, rule: AlertRule, step: Step): Promise<void> {
  const made = await alertStep(ctx, rule, step)
  if (!made) return
  await commitAlert(ctx, made.parts, made.more)
  await made.finish()
}

/** Undefined when there is nothing to store. */
export async function alertStep(ctx: Context, rule: AlertRule, { known, after, at }: Step): Promise<Made | undefined> {
  const { alert, moved } = after
  if (!alert) return undefined
  const mails = await mailsOf(ctx, rule, { alert, moved, at })
  if (!moved && mails.length === 0 && isUnchanged(known.alert, alert)) return undefined
  const isFirst = moved === 'firing' && alert.occurrences === 1 && alert.task_id === undefined
  const opens = isFirst && !isMuted(rule, at)
  const task = opens && rule.notify.task ? await taskFor(ctx, rule, alert) : undefined
  const incident = opens && rule.auto_incident ? await incidentFor(ctx, rule, alert) : undefined
  const next: Alert = {
    ...alert,
    ...(mails.length > 0 && moved !== 'resolved' && { notified_at: iso(at) }),
    ...(task && { task_id: task.task.id }),
    ...(incident && { incident_id: incident.id }),
  }
  return {
    parts: alertParts(ctx, known, next, moved),
    more: {
      writes: [...(task?.writes ?? []), ...(incident?.writes ?? [])],
      transitions: [...(task?.transitions ?? []), ...(incident?.transitions ?? [])],
      mails: [...mails, ...(task?.mails ?? [])],
    },
    finish: async () => void (incident && (await finishIncident(ctx, incident.id))),
  }
}

/** How long an open alert may hold a value that is no longer the newest. */
const STALE_MS = 3_600_000

/** A newer value alone is written once an hour, so that looking each minute costs nothing and missing data shows. */
const isUnchanged = (was: Alert | undefined, next: Alert): boolean =>
  was !== undefined &&
  was.clear_since === next.clear_since &&
  Date.parse(next.data_at) - Date.parse(was.data_at) < STALE_MS

type Occasion = { alert: Alert; moved: After['moved']; at: number }

async function mailsOf(ctx: Context, rule: AlertRule, { alert, moved, at }: Occasion): Promise<Mail[]> {
  const { title, severity, id, notified_at } = alert
  const isOver = moved === 'resolved' && notified_at !== undefined && !isMuted(rule, at)
  if (!isOver && (moved === 'resolved' || !isMailDue(rule, alert, at))) return []
  const to = { roles: rule.notify.roles, user_ids: await peopleAmong(ctx, rule.notify.worker_ids) }
  if (to.roles.length === 0 && to.user_ids.length === 0) return []
  return [
    newMail(ctx, isOver ? 'alert_resolved' : 'alert_firing', to, { name: title, severity, alert: id, at: iso(at) }),
  ]
}

/** Paused workers get no mail. Agents read none. */
async function peopleAmong({ table, space }: Context, ids: readonly string[]): Promise<string[]> {
  const named = await table.getAll(
    workers,
    ids.map((id) => ({ ...space, id })),
  )
  return named.flatMap(({ user_id, status }) => (user_id !== undefined && status === 'active' ? [user_id] : []))
}

const taskFor = (ctx: Context, { name, notify: { worker_ids } }: AlertRule, { id, title, severity }: Alert) =>
  openTask(ctx, {
    title: title.slice(0, 200),
    description: `An alert of the rule ${name} fires.`,
    kind: 'general',
    priority: severity === 'critical' ? 'urgent' : severity === 'high' ? 'high' : 'medium',
    source: { type: 'alert', id },
    ...(worker_ids.length > 0 && { among: worker_ids }),
  })
