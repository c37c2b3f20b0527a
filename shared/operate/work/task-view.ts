// A task as the API shows it, finds it and takes it: views, lists, who may change one, and the bodies of requests.
import * as z from 'zod'
import { SlaView, slaView } from '../../base/sla/sla.ts'
import type { Stored } from '../../base/table/entity.ts'
import {
  Assignee,
  assigneePartition,
  listsOf,
  notesOf,
  PinnedAction,
  statusPartition,
  Task,
  TaskAction,
  TaskNote,
  taskNotes,
  tasks,
} from '../../govern/tasks/task.ts'
import type { Context, Principal, Space } from '../../base/context.ts'
import { PRIORITIES } from '../../base/sla/policy.ts'
import { displayName, id, optional, plainText } from '../../base/wire/fields.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'
import { FOR_PEOPLE, hasEnded, TASK_KINDS, TASK_STATUSES } from '../../govern/tasks/states.ts'
import { forbidden, notFound } from '../../base/lib/failure.ts'
import { workerOf } from '../../govern/tasks/worker.ts'
import { iso } from '../../base/lib/clock.ts'

export const TaskView = Task.unwrap()
  .omit({ mode: true })
  .extend({
    sla: SlaView.describe('The times by which it must be started and resolved.'),
    version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
  })

const NoteView = TaskNote.pick({ id: true, text: true, at: true, by: true })

/** With the newest notes, and with all that completing it requests. */
export const TaskDetail = TaskView.extend({
  notes: z.array(NoteView).describe('The latest notes, newest first.'),
  action: TaskAction.extend(PinnedAction.pick({ payload: true, authors: true }).partial().shape)
    .optional()
    .describe('What completing the task requests. The task stays in review until that has ended.'),
})

export const taskView = (task: Stored<Task>, now: number): z.input<typeof TaskView> => ({
  ...task,
  sla: slaView(task.sla, now),
  version: task._v,
})

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

/** Throws the same not_found for a missing task and for another tenant's. */
export async function findTask({ table, space }: Context, taskId: string): Promise<Stored<Task>> {
  const task = await table.get(tasks, { ...space, id: taskId })
  if (!task) throw notFound('task')
  return task
}

const NOTES_SHOWN = 200

/** Newest first. */
export const newestNotes = ({ table, space }: Context, taskId: string): Promise<TaskNote[]> =>
  table.query(taskNotes, notesOf(space, taskId, NOTES_SHOWN))

/** May change every task; others only those that they created or that are assigned to them. */
const isWide = ({ permissions }: Principal): boolean =>
  permissions.has('workers:write') || permissions.has('approvals:decide')

/** Throws 403. A credential of an agent never changes a task that is for people only, also with all rights. */
export async function mustBeTheirs(ctx: Context, { kind, assignee, created_by }: Task): Promise<void> {
  const { principal } = ctx
  if (principal.agent_id !== undefined && FOR_PEOPLE.includes(kind))
    throw forbidden('An agent cannot change a task of this kind. Ask a person to do it.')
  if (isWide(principal) || created_by.id === principal.id) return
  if (assignee && (await namesOf(ctx)).includes(assignee.id)) return
  throw forbidden('You can only change tasks that are assigned to you or that you created. Ask to be assigned.')
}

/** The ids under which tasks name the caller: a person's own, or that of the worker who uses the key. */
async function namesOf({ table, space, principal }: Context): Promise<string[]> {
  if (principal.user_id !== undefined) return [principal.user_id]
  const worker = await workerOf(table, space, principal.id)
  return worker ? [worker.id] : []
}

const Text = z.string().min(1).max(8_000)
const Labels = z
  .array(plainText(60))
  .max(20)
  .transform((labels) => [...new Set(labels)])
const Checklist = z
  .array(
    z.strictObject({
      text: plainText(200).describe('The step to do.'),
      done: z.boolean().default(false).describe('Whether it is done.'),
    }),
  )
  .max(50)
const Instant = z.iso.datetime({ offset: true }).transform((time) => iso(Date.parse(time)))
const NewAssignee = z.strictObject({ type: Assignee.shape.type, id: id.describe('Id of the user, worker or group.') })

/** Tasks of other kinds are made by the areas that they belong to. */
export const KINDS_BY_HAND = ['general', 'remediation', 'dsr', 'approval'] as const

export const TaskBody = z.strictObject({
  title: displayName(200).describe('A short title.'),
  description: optional(Text).describe('A description for people.'),
  kind: z.enum(KINDS_BY_HAND).default('general').describe('What kind of work it is.'),
  priority: optional(z.enum(PRIORITIES)).describe('The priority.'),
  /** Null: nobody yet. Left out: the worker who fits and has the least work. */
  assignee: NewAssignee.nullable().optional().describe('Who the task is assigned to. Null: nobody.'),
  labels: optional(Labels).describe('Skills that a worker must have to be assigned the task automatically.'),
  due_at: optional(Instant).describe('The agreed date. The SLA has separate times.'),
  source: optional(
    z.strictObject({
      type: z
        .string()
        .regex(/^[a-z_]{1,40}$/)
        .describe('The type of the resource.'),
      id: id.describe('Id of the resource.'),
    }),
  ).describe('What the task is about.'),
  parent_id: optional(id).describe('Id of the task that this one is a part of.'),
  checklist: optional(Checklist).describe('The steps of the task.'),
})
export type TaskBody = z.output<typeof TaskBody>

export const TaskPatch = z.strictObject({
  status: optional(z.enum(TASK_STATUSES)).describe('The current state.'),
  assignee: NewAssignee.nullable().optional().describe('Who the task is assigned to. Null: nobody.'),
  priority: optional(z.enum(PRIORITIES)).describe('The priority.'),
  due_at: Instant.nullable().optional().describe('The agreed date. The SLA has separate times.'),
  labels: optional(Labels).describe('Skills that a worker must have to be assigned the task automatically.'),
  checklist: optional(Checklist).describe('The steps of the task.'),
  resolution: optional(plainText(200)).describe('How the task ended, in a few words.'),
  note: optional(Text).describe('A note to add.'),
  version: optional(z.int()).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
export type TaskPatch = z.output<typeof TaskPatch>
