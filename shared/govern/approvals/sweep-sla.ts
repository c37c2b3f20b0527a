// What has fallen due of the SLA of an approval. It asks louder and decides nothing: who may vote stays as it is.
import type { Context } from '../../base/context.ts'
import type { Late, RaiseLate } from '../../base/ports/raise-late.ts'
import { slaPolicy } from '../../base/sla/policies.ts'
import type { Escalation } from '../../base/sla/policy.ts'
import { dealtWith } from '../../base/sla/sla.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'
import { newArtifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { openApprovalTask } from './approval-task.ts'
import { slaArtifacts } from '../tasks/sla-artifacts.ts'
import { type Approval, approvals } from './approval.ts'
import { slaOf } from './sla.ts'

/** With the first escalation comes a task, whose own SLA goes on from there. False: nothing was due. */
export async function sweepApprovalSla(ctx: Context, held: Stored<Approval>, raiseLate: RaiseLate): Promise<boolean> {
  const was = slaOf(held)
  if (!was || !held.sla) return false
  const { sla, missed, escalations } = dealtWith(was, slaPolicy(was.policy_id), ctx.now())
  if (missed.length === 0 && escalations.length === 0) return false
  const change = { sla: { ...held.sla, reported: sla.reported, escalated: sla.escalated } }
  const needsTask = held.status === 'pending' && held.task_id === undefined && escalations.length > 0
  const task = needsTask ? await openApprovalTask(ctx, held, { priority: 'high' }, change) : undefined
  const alarm = escalations.find(({ action }) => action === 'alert')
  const raised = held.status === 'pending' && alarm ? await raiseLate(ctx, lateOf(held, alarm)) : undefined
  const facts = slaArtifacts({ type: 'approval', id: held.id }, was.policy_id, { missed, escalations })
  const [first, ...others] = [
    ...newArtifacts(ctx, ...facts).map((artifact) => ({ artifact })),
    ...(task?.transitions ?? []),
    ...(raised?.transitions ?? []),
  ]
  if (!first) return false
  const mails = [
    ...(held.status === 'pending' ? [await late(ctx, held)] : []),
    ...(task?.mails ?? []),
    ...(raised?.mails ?? []),
  ]
  const writes = task?.writes ?? [approvals.replace({ ...held, ...change }, held, new Overtaken())]
  await ctx.table.commit([...writes, ...(raised?.writes ?? []), ...recorded(ctx, [first, ...others], { mails })])
  await raised?.finish()
  return true
}

const nameOf = ({ node_id, action_id }: Approval) => `the decision on ${action_id} of ${node_id}`

const lateOf = (held: Approval, { after_percent: percent }: Escalation): Late => ({
  labels: { approval_id: held.id },
  title: `Overdue: ${nameOf(held)}`,
  percent,
})

/** To those whom the open stage asks, as far as roles say who they are, and to those who may vote in the name of one of them. */
async function late(ctx: Context, held: Approval): Promise<Mail> {
  const { id, stages, stage } = held
  const named = (stages[stage]?.groups ?? []).flatMap((group) => (group.startsWith('role:') ? [group.slice(5)] : []))
  const roles = named.length > 0 ? named : ['owner', 'admin', 'approver']
  const { delegatesOn } = await import('./delegates-on.ts')
  return newMail(
    ctx,
    'sla_missed',
    { roles, user_ids: await delegatesOn(ctx, held) },
    { name: nameOf(held), approval: id },
  )
}
