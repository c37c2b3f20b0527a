// What has fallen due of the SLA of a task. Each miss and each escalation is handled once, also when the task is changed at the
// same time.
import type { Context } from '../../base/context.ts'
import type { Late, RaiseLate } from '../../base/ports/effects.ts'
import { type Escalation, PRIORITIES, slaPolicy } from '../../base/sla/policy.ts'
import { dealtWith } from '../../base/sla/sla.ts'
import { retryWhenChanged, ChangedMeanwhile } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { commitTask, reprioritised, taskParts } from '../../govern/tasks/store-task.ts'
import { assignedTo, pickWorker } from '../../govern/tasks/open-task.ts'
import { slaArtifacts } from '../../govern/tasks/sla-artifacts.ts'
import { hasEnded } from '../../govern/tasks/states.ts'
import { type Task, tasks } from '../../govern/tasks/task.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'

export async function sweepTask(ctx: Context, id: string, raiseLate: RaiseLate): Promise<void> {
  await retryWhenChanged(async () => {
    const was = await ctx.table.get(tasks, { ...ctx.space, id })
    if (was) await meet(ctx, was, raiseLate)
  })
}

async function meet(ctx: Context, was: Stored<Task>, raiseLate: RaiseLate): Promise<void> {
  const { sla, missed, escalations } = dealtWith(was.sla, slaPolicy(was.sla.policy_id), ctx.now())
  if (missed.length === 0 && escalations.length === 0) return
  const { task, stays } = await escalated(ctx, { ...was, sla }, escalations)
  const as = slaArtifacts({ type: 'task', id: was.id }, was.sla.policy_id, { missed, escalations })
  const parts = taskParts(ctx, was, task, { as, full: new ChangedMeanwhile() })
  const alarm = escalations.find(({ action }) => action === 'alert')
  const raised = alarm && !hasEnded(task.status) ? await raiseLate(ctx, lateOf(task, alarm)) : undefined
  const mails = [...parts.mails, ...late(ctx, task), ...(raised?.mails ?? [])]
  await commitTask(
    ctx,
    { ...parts, mails },
    { writes: [...stays, ...(raised?.writes ?? [])], transitions: raised?.transitions ?? [] },
  )
  await raised?.finish()
}

/** The task of an approval and the approval are late together. */
const lateOf = ({ id, title, source }: Task, { after_percent: percent }: Escalation): Late => ({
  labels: source?.type === 'approval' ? { approval_id: source.id } : { task_id: id },
  title: `Overdue: ${title}`,
  percent,
})

/** `notify` is the mail that goes out in any case. */
async function escalated(ctx: Context, task: Task, escalations: readonly Escalation[]) {
  const actions = escalations.map(({ action }) => action)
  const raised = actions.includes('raise_priority') ? reprioritised(task, higher(task), ctx.now()) : task
  const given = actions.includes('reassign') ? await givenAway(ctx, raised) : undefined
  return { task: { ...raised, ...given?.to }, stays: given?.stays ?? ([] as Write[]) }
}

const higher = ({ priority }: Task) => PRIORITIES[PRIORITIES.indexOf(priority) + 1] ?? priority

/** To somebody else who fits; undefined when nobody does, for then it had better stay where it is. */
async function givenAway(ctx: Context, task: Task) {
  const except = [task.assignee?.id, task.worker_id].filter((id) => id !== undefined)
  const picked = await pickWorker(ctx, { ...task, except: [...except, ...(await askersOf(ctx, task))] })
  return picked && { to: assignedTo(picked.worker), stays: picked.stays }
}

/** Nobody is given the decision on what they asked for. */
async function askersOf(ctx: Context, { kind, source }: Task): Promise<readonly string[]> {
  if (kind !== 'approval' || !source) return []
  const { approvals } = await import('../../govern/approvals/approval.ts')
  return (await ctx.table.get(approvals, { ...ctx.space, id: source.id }))?.persons ?? []
}

/** To the assignee; where that is no person, to the creator, and else to the owners and administrators. */
function late(ctx: Context, { assignee, created_by, status, title: name, id: task }: Task): Mail[] {
  if (hasEnded(status)) return []
  const person = assignee?.type === 'human' ? assignee.id : created_by.type === 'user' ? created_by.id : undefined
  const to = person === undefined ? { roles: ['owner', 'admin'] } : { user_id: person }
  return [newMail(ctx, 'sla_missed', to, { name, task })]
}
