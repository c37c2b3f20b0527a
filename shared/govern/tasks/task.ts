// A piece of work for a person, a worker or a group. It hangs on what it is about by its source, and holds no payload.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { sha256 } from '../../base/lib/hash.ts'
import { slaPolicy } from '../../base/sla/policies.ts'
import { PRIORITIES } from '../../base/sla/policy.ts'
import { nextLook, Sla } from '../../base/sla/sla.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key, padded, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { AFTER_ACTION, hasEnded, TASK_KINDS, TASK_STATUSES, type TaskKind } from './states.ts'

/** `human`: id of a user. `ai`: id of a worker. `team`: id of a group of the directory. */
export const Assignee = z.object({ type: z.enum(['human', 'ai', 'team']), id: z.string() })
export type Assignee = z.output<typeof Assignee>

export const ChecklistItem = z.object({ text: z.string(), done: z.boolean() })

/** The action that completing the task requests. Its payload is kept apart; see pinned-action.ts. */
export const TaskAction = z.object({
  node_id: z.string(),
  action_id: z.string(),
  /** Of everything that was pinned when the task was opened. */
  digest: z.string(),
  runbook_id: z.string(),
  runbook_version: z.int(),
  /** The last execution that somebody asked for by completing the task, and where it stands. */
  execution: z.object({ id: z.string(), status: z.enum(Object.keys(AFTER_ACTION)) }).optional(),
})

export const Task = z.lazy(() =>
  z.object({
    ...resourceMembers,
    title: z.string(),
    description: z.string().optional(),
    kind: z.enum(TASK_KINDS),
    status: z.enum(TASK_STATUSES),
    priority: z.enum(PRIORITIES),
    /** Of the action that it is about. */
    tier: z.enum(['AUTO', 'SOFT', 'HARD']).optional(),
    assignee: Assignee.nullable(),
    /** The registered worker in whose load it counts until it ends. */
    worker_id: z.string().optional(),
    labels: z.array(z.string()),
    /** What people agreed on; the SLA has times of its own. */
    due_at: z.string().optional(),
    sla: Sla,
    source: z.object({ type: z.string(), id: z.string() }).optional(),
    parent_id: z.string().optional(),
    checklist: z.array(ChecklistItem),
    resolution: z.string().optional(),
    action: TaskAction.optional(),
    comments_count: z.int(),
    created_at: z.string(),
    updated_at: z.string(),
    created_by: z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() }),
    started_at: z.string().optional(),
    /** When it ended, be it done or dropped. */
    completed_at: z.string().optional(),
  }),
)
export type Task = z.output<typeof Task>

const LIST_SHARDS = 8

/** Agents make tasks as fast as they act, and each held action makes one: those are spread over the other lists. */
const MADE_BY_TRAFFIC: readonly string[] = ['agent', 'approval'] satisfies readonly TaskKind[]

/** The list of all other tasks of a status, which stays short. */
const APART = LIST_SHARDS

/** The lists of a status, or those of them that hold a kind. */
export function listsOf(kind?: TaskKind): number[] {
  if (kind !== undefined && !MADE_BY_TRAFFIC.includes(kind)) return [APART]
  return Array.from({ length: kind === undefined ? LIST_SHARDS + 1 : LIST_SHARDS }, (_, shard) => shard)
}

const listOf = ({ id, kind }: { id: string; kind: TaskKind }): number =>
  MADE_BY_TRAFFIC.includes(kind) ? (sha256(id)[0] ?? 0) % LIST_SHARDS : APART

export const tasks = entity({
  name: 'TASK',
  schema: Task,
  key: (of: Space & { id: string }) => ({ pk: taskPartition(of, of.id), sk: 'TASK' }),
  index: (item) => ({
    gsi1pk: statusPartition(item, item.status, listOf(item)),
    gsi1sk: item.id,
    ...dueAt(nextLook(item.sla, slaPolicy(item.sla.policy_id), Date.parse(item.updated_at)), item.id),
    ...byAssignee(item),
  }),
})

export const taskPartition = (space: Space, id: string): string => spaceKey(space, 'TASK', id)

export const statusPartition = (space: Space, status: string, shard: number): string =>
  spaceKey(space, 'TASKS', status, String(shard))

/** What somebody has to do: tasks that have not ended. */
export const assigneePartition = (space: Space, id: string): string => spaceKey(space, 'TASKS', 'A', id)

/** What a worker has done. The sort keys say all that its figures need, so nothing else is read for them. */
export const donePartition = (space: Space, workerId: string): string => spaceKey(space, 'TASKS', 'D', workerId)

function byAssignee(task: Task) {
  const { status, assignee, worker_id, completed_at, created_at, sla, id } = task
  if (!hasEnded(status)) return assignee ? { gsi3pk: assigneePartition(task, assignee.id), gsi3sk: id } : {}
  if (status === 'cancelled' || !worker_id || !completed_at) return {}
  const seconds = Math.round((Date.parse(completed_at) - Date.parse(created_at)) / 1_000)
  return { gsi3pk: donePartition(task, worker_id), gsi3sk: key(completed_at, padded(seconds), sla.status, id) }
}

export const TaskNote = z.object({
  ...spaceMembers,
  task_id: z.string(),
  id: z.string(),
  text: z.string(),
  at: z.string(),
  by: z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() }),
})
export type TaskNote = z.output<typeof TaskNote>

const NOTE = 'NOTE'

export const taskNotes = entity({
  name: 'TASKNOTE',
  schema: TaskNote,
  key: (of: Space & { task_id: string; id: string }) => ({ pk: taskPartition(of, of.task_id), sk: key(NOTE, of.id) }),
})

/** Newest first. */
export const notesOf = (space: Space, taskId: string, limit: number) => ({
  pk: taskPartition(space, taskId),
  prefix: `${NOTE}#`,
  descending: true,
  limit,
})
