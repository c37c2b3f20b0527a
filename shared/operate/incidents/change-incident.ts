// Changes an incident, and checks what a request names: alerts, people, times. The clock of a breach of personal data is a task for
// people, which is done when the authority was notified.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { given } from '../../base/lib/json.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { mustBeRunbook } from '../runbooks/runbook.ts'
import { findIncident, finishIncident } from './finish-incident.ts'
import { storedTexts } from '../../govern/governance/pii/stored-text.ts'
import type { IncidentChange } from './create-incident.ts'
import {
  breachEnd,
  type Entry,
  type Incident,
  INCIDENT_STATES,
  incidents,
  type IncidentStatus,
  REOPEN_MS,
} from './incident.ts'
import { commitIncident, entry } from './store-incident.ts'
import { tasks } from '../../govern/tasks/task.ts'
import { users } from '../../identity/accounts/user.ts'
import { alerts } from '../alerts/alert.ts'
import { closeTask, type TaskParts } from '../../govern/tasks/store-task.ts'
import { openTask } from '../../govern/tasks/open-task.ts'

type Change = Omit<IncidentChange, 'version'> & { id: string; version: number | undefined }

/**
 * Stores the change with an entry in the timeline, its evidence and the task of a breach, in one transaction. Throws 404, 409 for
 * a move that its state does not allow or another version, and 422 for alerts, runbooks or people that do not exist. If the process
 * dies after the commit, the sweeper ends the alerts and opens the tasks. A change of another request meanwhile is read, and this
 * one is applied to it.
 */
export const changeIncident = (ctx: Context, { id, version, ...sent }: Change): Promise<Stored<Incident>> =>
  retryWhenChanged(async () => {
    const was = await findIncident(ctx, id)
    mustBeCurrent(version, was._v)
    await mustBePossible(ctx, was, sent)
    const text = await storedTexts(ctx, { root_cause: sent.root_cause, note: sent.note })
    const next = await changedBy(ctx, was, { ...sent, ...text })
    const entries = entriesOf(ctx, was, next, text.note)
    const parts = [await followBreach(ctx, was, next)]
    const breach_task_id = parts[0]?.task.id ?? next.breach_task_id
    await commitIncident(ctx, was, { ...next, ...(breach_task_id && { breach_task_id }) }, { entries, parts })
    return finishIncident(ctx, id)
  })

async function mustBePossible(ctx: Context, was: Incident, sent: Omit<Change, 'id' | 'version'>): Promise<void> {
  const { status, duplicate_of, notified_at } = sent
  if (status !== undefined && status !== was.status) mustMove(ctx, was, status)
  if (status === 'duplicated' && duplicate_of === undefined) {
    throw invalid(['duplicate_of'], 'must name the incident that this one repeats.')
  }
  if (duplicate_of !== undefined) await mustBeOriginal(ctx, was, sent)
  if (notified_at !== undefined) {
    mustHavePassed(ctx, 'notified_at', notified_at)
    if (notified_at < was.detected_at) throw invalid(['notified_at'], 'must not lie before detected_at.')
  }
  await Promise.all([
    mustBePerson(ctx, sent.commander_id),
    mustBeAlerts(ctx, sent.link_alert_ids ?? [], 'link_alert_ids'),
    mustBeTasks(ctx, sent.follow_up_task_ids ?? []),
  ])
}

function mustMove(ctx: Context, { status: from, resolved_at }: Incident, to: IncidentStatus): void {
  mustAllowMove(INCIDENT_STATES, from, to)
  if (from === 'resolved' && resolved_at !== undefined && ctx.now() - Date.parse(resolved_at) > REOPEN_MS) {
    throw conflict('The incident was resolved more than 7 days ago. Create a new one that names it.')
  }
}

async function mustBeOriginal(
  { table, space }: Context,
  was: Incident,
  { status, duplicate_of: id = '' }: Partial<Change>,
) {
  if (status !== 'duplicated') throw invalid(['duplicate_of'], 'is possible together with status duplicated only.')
  const original = await table.get(incidents, { ...space, id })
  if (!original || id === was.id || original.status === 'duplicated') {
    throw invalid(['duplicate_of'], 'must be another incident of this tenant that is itself no duplicate.')
  }
}

async function changedBy(ctx: Context, was: Incident, sent: Omit<Change, 'id' | 'version'>): Promise<Incident> {
  const { status = was.status, link_alert_ids = [], runbook_id, note: _, ...rest } = sent
  const runbook = runbook_id === undefined ? undefined : await mustBeRunbook(ctx, runbook_id)
  const now = iso(ctx.now())
  const hasResolved = status === 'resolved' && was.status !== 'resolved'
  return {
    ...was,
    ...given(rest),
    status,
    resolved_at: hasResolved ? now : status === 'resolved' ? was.resolved_at : undefined,
    alert_ids: [...new Set([...was.alert_ids, ...link_alert_ids])],
    ...(runbook && { runbook_id: runbook.id, runbook_version: runbook.runbook_version }),
    ...((link_alert_ids.length > 0 || runbook || hasResolved) && { unfinished: true }),
    updated_at: now,
  }
}

/** The members whose changes the timeline names by their values: ids and words of closed lists. */
const NAMED = ['severity', 'commander_id', 'duplicate_of', 'notified_at', 'runbook_id'] as const

function entriesOf(ctx: Context, was: Incident, next: Incident, note: string | undefined): Entry[] {
  const linked = next.alert_ids.filter((id) => !was.alert_ids.includes(id))
  const lines: (Entry | false)[] = [
    was.status !== next.status && entry(ctx, 'status', { from: was.status, to: next.status, note }),
    ...NAMED.map((name) => {
      if (was[name] === next[name]) return false
      return entry(ctx, name === 'runbook_id' ? 'runbook' : 'changed', { from: was[name], to: next[name], note: name })
    }),
    was.root_cause !== next.root_cause && entry(ctx, 'changed', { note: 'root_cause' }),
    was.personal_data_breach !== next.personal_data_breach &&
      entry(ctx, 'breach', { from: String(was.personal_data_breach), to: String(next.personal_data_breach) }),
    ...linked.map((id) => entry(ctx, 'alert', { to: id })),
  ]
  const entries = lines.filter((line) => line !== false)
  const hasNote = entries.some((line) => line.note === note)
  return note === undefined || hasNote ? entries : [...entries, entry(ctx, 'note', { note })]
}

/** Throws 422 at the member that names an alert of no such id in this tenant. */
export async function mustBeAlerts({ table, space }: Context, ids: readonly string[], member: string): Promise<void> {
  const found = await table.getAll(
    alerts,
    ids.map((id) => ({ ...space, id })),
  )
  mustBeFound(ids, found, { member, what: 'an alert' })
}

async function mustBeTasks({ table, space }: Context, ids: readonly string[]): Promise<void> {
  const found = await table.getAll(
    tasks,
    ids.map((id) => ({ ...space, id })),
  )
  mustBeFound(ids, found, { member: 'follow_up_task_ids', what: 'a task' })
}

export async function mustBePerson({ table, space }: Context, id: string | undefined): Promise<void> {
  if (id === undefined) return
  const user = await table.get(users, { tenant_id: space.tenant_id, id })
  if (user?.status !== 'active') throw invalid(['commander_id'], 'must be an active person of this tenant.')
}

function mustBeFound(
  ids: readonly string[],
  found: readonly { id: string }[],
  { member, what }: { member: string; what: string },
) {
  const known = new Set(found.map(({ id }) => id))
  const at = ids.findIndex((id) => !known.has(id))
  if (at >= 0) throw invalid([member, at], `must be ${what} of this tenant.`)
}

export function mustHavePassed(ctx: Context, member: string, at: string): void {
  if (Date.parse(at) > ctx.now()) throw invalid([member], 'must not lie in the future.')
}

/** The task that runs for the 72 hours of a breach of personal data. */
export const breachTask = (ctx: Context, { id, title, detected_at }: Incident): Promise<TaskParts> =>
  openTask(ctx, {
    title: `Notify the authority: ${title}`.slice(0, 200),
    description: 'A breach of personal data must be notified within 72 hours after it was noticed (GDPR, article 33).',
    kind: 'breach_notification',
    priority: 'urgent',
    due_at: breachEnd(detected_at),
    source: { type: 'incident', id },
  })

/** The task of a breach after a change of its facts: opened, completed or cancelled. */
async function followBreach(ctx: Context, was: Incident, next: Incident): Promise<TaskParts | undefined> {
  if (!was.personal_data_breach && next.personal_data_breach) {
    return next.notified_at === undefined ? breachTask(ctx, next) : undefined
  }
  if (was.breach_task_id === undefined) return undefined
  if (was.personal_data_breach && !next.personal_data_breach) {
    return closeTask(ctx, was.breach_task_id, { status: 'cancelled', resolution: 'no breach' })
  }
  const isNotified = was.notified_at === undefined && next.notified_at !== undefined
  return isNotified ? closeTask(ctx, was.breach_task_id, { status: 'completed', resolution: 'notified' }) : undefined
}
