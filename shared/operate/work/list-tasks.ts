import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { PRIORITIES } from '../../base/sla/policy.ts'
import type { Stored } from '../../base/table/entity.ts'
import { id } from '../../base/wire/fields.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'
import { hasEnded, TASK_KINDS, TASK_STATUSES } from '../../govern/tasks/states.ts'
import { assigneePartition, listsOf, statusPartition, type Task, tasks } from '../../govern/tasks/task.ts'
import { namesOf } from './may-change.ts'
import { taskView } from './task-view.ts'

export const TaskFilters = z.object({
  status: z.enum(TASK_STATUSES).optional().describe('Only those in this state.'),
  assignee: id
    .optional()
    .describe('`me`, or the id of a user, worker or group. Without a `status`: what they still have to do.'),
  priority: z.enum(PRIORITIES).optional().describe('Only of this priority.'),
  kind: z.enum(TASK_KINDS).optional().describe('Only of this kind.'),
  source_id: id.optional().describe('Only what is about this thing.'),
})
type Filters = z.output<typeof TaskFilters>
type Source = ListSource<Stored<Task>, Space & { id: string }>

/** Newest first. */
export async function listTasks(ctx: Context, query: ListQuery & Filters) {
  const assignee = query.assignee === 'me' ? ((await namesOf(ctx))[0] ?? 'nobody') : query.assignee
  const page = await paginate(ctx, 'work-list-tasks', query, sourceOf(ctx, { ...query, assignee }))
  return { ...page, items: page.items.map((task) => taskView(task, ctx.now())) }
}

function sourceOf({ space }: Context, filters: Filters): Source {
  const { status, assignee, kind } = filters
  const filter = filterOf(filters)
  if (assignee !== undefined && !(status && hasEnded(status))) {
    const groups = [{ name: 'assignee', partitions: [assigneePartition(space, assignee)] }]
    return { of: tasks, index: 'gsi3', groups, filter }
  }
  const statuses = status ? [status] : TASK_STATUSES
  const partitions = statuses.flatMap((one) => listsOf(kind).map((shard) => statusPartition(space, one, shard)))
  return { of: tasks, index: 'gsi1', groups: [{ name: 'status', partitions }], filter }
}

/** The index may lag behind what was read, so its own members are looked at again. */
function filterOf({ status, assignee, priority, kind, source_id }: Filters): Source['filter'] {
  const wanted = [status, assignee, priority, kind, source_id]
  if (wanted.every((value) => value === undefined)) return undefined
  return (task) => {
    const actual = [task.status, task.assignee?.id, task.priority, task.kind, task.source?.id]
    return wanted.every((value, index) => value === undefined || value === actual[index])
  }
}
