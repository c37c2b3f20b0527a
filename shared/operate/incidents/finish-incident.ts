// What an incident brings with it and one transaction has no room for: a task for each step of its runbook, its id on each alert,
// the end of its alerts. The incident says that something is missing until all is done; the sweeper continues what a crash left.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { notFound } from '../../base/lib/failure.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { digest } from '../../ledger/events/event.ts'
import { openTask } from '../../govern/tasks/open-task.ts'
import { type PinnedAction, tasks } from '../../govern/tasks/task.ts'
import { commitTask } from '../../govern/tasks/store-task.ts'
import { alerts } from '../alerts/alert.ts'
import { endAlert } from '../alerts/end-alerts.ts'
import { runbookOf } from '../runbooks/find-runbook.ts'
import { runbookUses, type Step } from '../runbooks/runbook.ts'
import { actionOf, factsOf } from './step-action.ts'
import { type Incident, incidents } from './incident.ts'

export async function finishIncident(ctx: Context, id: string): Promise<Stored<Incident>> {
  const incident = await findIncident(ctx, id)
  if (!incident.unfinished) return incident
  await linkAlerts(ctx, incident)
  const step_task_ids = await openSteps(ctx, incident)
  return retryWhenOvertaken(async () => {
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
  const facts = await factsOf(ctx, incident)
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
  retryWhenOvertaken(async () => {
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
