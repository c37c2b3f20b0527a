// What a change of state or priority makes of a task and its clocks. Pure.
import { iso } from '../../base/lib/clock.ts'
import { slaPolicy, slaPolicyFor } from '../../base/sla/policies.ts'
import type { Priority } from '../../base/sla/policy.ts'
import { answered, ended, paused, resumed, retargeted, type Sla } from '../../base/sla/sla.ts'
import { type Followed, hasEnded, type TaskStatus } from './states.ts'
import type { Task } from './task.ts'

/** Nobody can work on what is blocked, so no clock runs. The first move out of `open` is the first response. */
export function moved(task: Task, { status, resolution }: Followed, now: number): Task {
  if (status === task.status) return resolution === undefined ? task : { ...task, resolution }
  const sla = task.status === 'open' ? answered(task.sla, now) : task.sla
  return {
    ...task,
    status,
    sla: slaIn(sla, status, now),
    resolution: resolution ?? (hasEnded(status) ? task.resolution : undefined),
    started_at: task.started_at ?? (status === 'open' || status === 'cancelled' ? undefined : iso(now)),
    completed_at: hasEnded(status) ? iso(now) : undefined,
  }
}

function slaIn(sla: Sla, status: TaskStatus, now: number): Sla {
  const policy = slaPolicy(sla.policy_id)
  if (status === 'blocked') return paused(sla, policy, now)
  if (status === 'completed') return ended(sla, policy, now, 'done')
  return status === 'cancelled' ? ended(sla, policy, now, 'dropped') : resumed(sla, policy, now)
}

/** Another priority may be under another policy; what was used up stays used up. */
export function reprioritised(task: Task, priority: Priority, now: number): Task {
  const next = { ...task, priority }
  const sla = retargeted(task.sla, slaPolicy(task.sla.policy_id), slaPolicyFor(next), now)
  return { ...next, sla }
}
