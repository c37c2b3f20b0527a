import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { slaPolicyFor } from '../../base/sla/policies.ts'
import { startSla } from '../../base/sla/sla.ts'
import type { Assigned } from './assign.ts'
import { type PinnedAction, reference } from './pinned-action.ts'
import type { Task } from './task.ts'

export type TaskDraft = Pick<Task, 'title' | 'kind'> &
  Partial<
    Pick<Task, 'description' | 'priority' | 'tier' | 'labels' | 'due_at' | 'source' | 'parent_id' | 'checklist'>
  > & {
    /** `tsk_…` that follows from the source, where there may be only one task for it: a second commit is a 409. */
    id?: string
    /** What completing it requests. */
    action?: PinnedAction | undefined
    /** Default: whoever fits and has least to do. `NOBODY`: nobody yet. See assign.ts. */
    assigned?: Assigned | undefined
    /** Users and workers who must not get it by themselves. */
    except?: readonly string[]
    /** The only workers who may get it by themselves. */
    among?: readonly string[]
  }

/** A task in its first state, with running clocks. */
export function newTask(
  ctx: Context,
  draft: TaskDraft,
  assigned: Pick<Task, 'assignee' | 'worker_id'> = { assignee: null },
): Task {
  const {
    id = ctx.id('tsk'),
    labels = [],
    checklist = [],
    priority = 'medium',
    action,
    assigned: _,
    except: __,
    among: ___,
    ...rest
  } = draft
  const now = ctx.now()
  return {
    ...ctx.space,
    ...rest,
    id,
    status: 'open',
    priority,
    assignee: assigned.assignee,
    worker_id: assigned.worker_id,
    labels,
    checklist,
    ...(action && { action: reference(action) }),
    sla: startSla(slaPolicyFor({ ...rest, priority }), now),
    comments_count: 0,
    created_at: iso(now),
    updated_at: iso(now),
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
  }
}
