// What an incident brings with it and one transaction has no room for: a task for each step of its runbook, its id on each alert,
// the end of its alerts. The incident says that something is missing until all is done; the sweeper continues what a crash left.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { notFound } from '../../base/lib/failure.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { digest } from '../../ledger/events/event.ts'
import { openTask } from '../../govern/tasks/open-task.ts'
import { type PinnedAction, tasks } from '../../govern/tasks/task.ts'
import { commitTask } from '../../govern/tasks/store-task.ts'
import { type Alert, alerts } from '../alerts/alert.ts'
import { endAlert } from '../alerts/move-alert.ts'
import { type Runbook, runbookOf, runbookUses, type Step, templateOf } from '../runbooks/runbook.ts'
import { type Incident, incidents } from './incident.ts'
import { filled } from '../runbooks/template.ts'

/** Safe to repeat: the id of a task follows from incident, runbook, version and step, so each is opened once. */
export async function finishIncident(ctx: Context, id: string): Promise<Stored<Incident>> {
  const incident = await findIncident(ctx, id)
  if (!incident.unfinished) return incident
  await linkAlerts(ctx, incident)
  const step_task_ids = await openSteps(ctx, incident)
  return retryWhenChanged(async () => {
    const was = await findIncident(ctx, id)
    const { unfinished, ...rest } = was
    const next = { ...rest, step_task_ids: [...new Set([...was.step_task_ids, ...step_task_ids])] }
    await ctx.table.commit([incidents.replace(next, was)])
    return { ...next, _v: was._v + 1 }
  })
}

export async function findIncident(
  { table, space }: Pick<Context, 'table' | 'space'>,
  id: string,
): Promise<Stored<Incident>> {
  const found = await table.get(incidents, { ...space, id })
  if (!found) throw notFound('incident')
  return found
}

async function linkAlerts(ctx: Context, { id, status, alert_ids }: Incident): Promise<void> {
  for (const alertId of alert_ids) {
    if (status === 'resolved') await endAlert(ctx, alertId, 'manual')
    const exists = { expression: 'attribute_exists(pk)' }
    await ctx.table.commit([
      alerts.update({ ...ctx.space, id: alertId }, { set: { incident_id: id }, condition: exists }, notFound('alert')),
    ])
  }
}

/** The ids follow from incident, runbook, version and step, so each task is made once. */
async function openSteps(ctx: Context, incident: Incident): Promise<string[]> {
  const { id, runbook_id, runbook_version } = incident
  if (runbook_id === undefined || runbook_version === undefined || incident.status === 'resolved') return []
  const runbook = await runbookOf(ctx, { id: runbook_id, runbook_version })
  if (!runbook) return []
  const made: string[] = []
  const facts = await lookUpsFor(ctx, incident)
  for (const [index, step] of runbook.steps.entries()) {
    const taskId = `tsk_${digest(`${id}#${runbook_id}#${runbook_version}#${index}`)}`
    await openStep(ctx, taskId, { incident, step, index, action: actionOf(runbook, step, facts) })
    made.push(taskId)
  }
  const used = { last_used_at: incident.updated_at }
  await ctx.table.update(runbookUses.key({ ...ctx.space, id: runbook_id }), { set: { id: runbook_id, ...used } })
  return made
}

type Place = { incident: Incident; step: Step; index: number; action: PinnedAction | undefined }

const openStep = (ctx: Context, id: string, { incident, step, index, action }: Place): Promise<void> =>
  retryWhenChanged(async () => {
    if (await ctx.table.get(tasks, { ...ctx.space, id })) return
    const parts = await openTask(ctx, {
      id,
      title: step.title,
      description: step.instructions,
      kind: 'incident_step',
      priority: incident.severity === 'sev1' ? 'urgent' : 'high',
      source: { type: 'incident', id: `${incident.id}#${index}` },
      due_at: step.timeout_s === undefined ? undefined : iso(ctx.now() + step.timeout_s * 1_000),
      action,
    })
    await commitTask(ctx, parts)
  })

type About = { id: string; title: string; severity: string; detected_at: string; alert_ids: readonly string[] }
type Facts = Readonly<Record<string, string>>

/** The values of look-ups: of the incident, and of the first of its alerts. */
async function lookUpsFor({ table, space }: Context, incident: About): Promise<Facts> {
  const [first] = incident.alert_ids
  const alert = first === undefined ? undefined : await table.get(alerts, { ...space, id: first })
  const { id, title, severity, detected_at } = incident
  return {
    'tenant.id': space.tenant_id,
    ...named('incident', { id, title, severity, detected_at }),
    ...(alert && alertLookUps(alert)),
  }
}

const alertLookUps = ({ id, title, severity, value, threshold, labels }: Alert): Facts => ({
  ...named('alert', { id, title, severity, value, threshold }),
  ...named('alert.labels', labels),
})

const named = (of: string, members: Record<string, string | number | null>): Facts =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`${of}.${name}`, String(value ?? '')]))

/** The action of a step, its template filled with the values of this moment. Undefined for a manual step. */
function actionOf(runbook: Runbook, step: Step, facts: Facts): PinnedAction | undefined {
  const { kind, node_id, action_id, payload_template = '{}' } = step
  if (kind !== 'action' || node_id === undefined || action_id === undefined) return undefined
  const { id: runbook_id, runbook_version, authors } = runbook
  return {
    node_id,
    action_id,
    runbook_id,
    runbook_version,
    authors,
    payload: filled(templateOf(payload_template), facts),
  }
}
