// What the sweeper does when the time of an approval has come: it expires, is escalated, or has missed its SLA.
import type { Context } from '../../base/context.ts'
import { heldEvent } from '../executions/events.ts'
import { findExecution, readEventFacts } from '../executions/sealed/open-execution.ts'
import { transition } from '../executions/store.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Late, RaiseLate } from '../../base/ports/effects.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Approval, approvals, slaOf } from './approval.ts'
import { expireApproval, replaceApproval } from './end.ts'
import { approvalFacts } from './hold.ts'
import { type Escalation, slaPolicy } from '../../base/sla/policy.ts'
import { dealtWith } from '../../base/sla/sla.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'
import { newArtifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { openApprovalTask } from './approval-task.ts'
import { slaArtifacts } from '../tasks/sla-artifacts.ts'

/**
 * Afterwards nothing is due on the approval: its expiry, its escalation and its SLA. It decides nothing itself: an approval that nobody
 * answered expires. Each step is a commit of its own that needs the revision that was read, so a second sweeper finds nothing left.
 */
export async function sweepApproval(ctx: Context, id: string, raiseLate: RaiseLate): Promise<void> {
  await retryWhenChanged(async () => {
    while (await sweepNext(ctx, id, raiseLate));
  })
}

/** Does the first thing that is due; false when nothing is left. */
async function sweepNext(ctx: Context, id: string, raiseLate: RaiseLate): Promise<boolean> {
  const held = await ctx.table.get(approvals, { ...ctx.space, id })
  if (!held) return false
  const now = iso(ctx.now())
  const isPending = held.status === 'pending'
  if (isPending && now >= held.expires_at) await expireApproval(ctx, held, await findExecution(ctx, held.request_id))
  else if (isPending && held.escalate_at && now >= held.escalate_at) await escalate(ctx, held)
  else return sweepApprovalSla(ctx, held, raiseLate)
  return true
}

/** Adds the groups of the escalation to the open stage, once. The requester still may not vote. */
async function escalate(ctx: Context, held: Stored<Approval>): Promise<void> {
  const groups = held.escalate_to ?? []
  const stages = held.stages.map((stage, index) =>
    index === held.stage ? { ...stage, groups: [...new Set([...stage.groups, ...groups])] } : stage,
  )
  const approval: Approval = { ...held, stages, escalated_to: groups, escalate_at: undefined }
  const execution = await findExecution(ctx, held.request_id)
  const { writes } = transition(ctx, execution, execution, [
    {
      facts: { type: 'approval.escalated', approval: approvalFacts(approval) },
      events: (stored) => [heldEvent(readEventFacts(stored), approval, true)],
    },
  ])
  await ctx.table.commit([...writes, ...replaceApproval(ctx, approval, held)])
}

/**
 * Reports missed targets and escalations of the SLA, which change nothing about who may vote. The first escalation also opens a task,
 * whose own SLA goes on from there. False: nothing was due.
 */
async function sweepApprovalSla(ctx: Context, held: Stored<Approval>, raiseLate: RaiseLate): Promise<boolean> {
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
  const writes = task?.writes ?? [approvals.replace({ ...held, ...change }, held, new ChangedMeanwhile())]
  await ctx.table.commit([...writes, ...(raised?.writes ?? []), ...commitWith(ctx, [first, ...others], { mails })])
  await raised?.finish()
  return true
}

const nameOf = ({ node_id, action_id }: Approval) => `the decision on ${action_id} of ${node_id}`

const lateOf = (held: Approval, { after_percent: percent }: Escalation): Late => ({
  labels: { approval_id: held.id },
  title: `Overdue: ${nameOf(held)}`,
  percent,
})

/** The mail to the people whom the open stage asks, by their roles, and to those who may vote in the name of one of them. */
async function late(ctx: Context, held: Approval): Promise<Mail> {
  const { id, stages, stage } = held
  const named = (stages[stage]?.groups ?? []).flatMap((group) => (group.startsWith('role:') ? [group.slice(5)] : []))
  const roles = named.length > 0 ? named : ['owner', 'admin', 'approver']
  const { delegatesOn } = await import('./votes/eligible.ts')
  return newMail(
    ctx,
    'sla_missed',
    { roles, user_ids: await delegatesOn(ctx, held) },
    { name: nameOf(held), approval: id },
  )
}
