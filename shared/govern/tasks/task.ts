// A piece of work for a person, a worker or a group. Its source names the matter that it is about; it has no payload. The action that its
// completion requests is stored beside it.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { canonicalJson, sha256, sha256Hex } from '../../base/lib/json.ts'
import { PRIORITIES, slaPolicy } from '../../base/sla/policy.ts'
import { nextLook, Sla } from '../../base/sla/sla.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key, padded, spaceKey, type Write } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { AFTER_ACTION, hasEnded, TASK_KINDS, TASK_STATUSES, type TaskKind } from './states.ts'
import { freeForm } from '../../base/wire/fields.ts'

/** `human`: id of a user. `ai`: id of a worker. `team`: id of a group of the directory. */
export const Assignee = z.object({
  type: z.enum(['human', 'ai', 'team']).describe('A person, an AI worker, or a group of the directory.'),
  id: z.string().describe('Id of the user, worker or group.'),
})
export type Assignee = z.output<typeof Assignee>

export const ChecklistItem = z.object({
  text: z.string().describe('The step to do.'),
  done: z.boolean().describe('Whether it is done.'),
})

/** The action that completing the task requests. Its payload is stored apart; see PinnedAction. */
export const TaskAction = z.object({
  node_id: z.string().describe('Id of the node.'),
  action_id: z.string().describe('Id of the action in its manifest.'),
  /** Of everything that was pinned when the task was opened. */
  digest: z.string().describe('SHA-256 of the action as canonical JSON, as the evidence of the task states it.'),
  runbook_id: z.string().describe('The runbook of its incidents.'),
  runbook_version: z.int().describe('Version of the runbook.'),
  /** The last execution that somebody requested by completing the task, and its state. */
  execution: z
    .object({
      id: z.string().describe('Id of the execution.'),
      status: z.enum(Object.keys(AFTER_ACTION)).describe('The current state.'),
    })
    .optional()
    .describe('The last execution that completing the task requested.'),
})

export const Task = z.lazy(() =>
  z.object({
    ...resourceMembers,
    title: z.string().describe('A short title.'),
    description: z.string().optional().describe('A description for people.'),
    kind: z.enum(TASK_KINDS).describe('What kind of work it is.'),
    status: z.enum(TASK_STATUSES).describe('The current state.'),
    priority: z.enum(PRIORITIES).describe('The priority.'),
    /** Of the action that it is about. */
    tier: z
      .enum(['AUTO', 'SOFT', 'HARD'])
      .optional()
      .describe('AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.'),
    assignee: Assignee.nullable().describe('Who the task is assigned to. Null: nobody.'),
    /** The registered worker in whose load it counts until it ends. */
    worker_id: z.string().optional().describe('Id of the registered worker whose load includes the task.'),
    labels: z.array(z.string()).describe('Skills that a worker must have to be assigned the task automatically.'),
    /** What people agreed on; the SLA has times of its own. */
    due_at: z.string().optional().describe('The agreed date. The SLA has separate times.'),
    sla: Sla,
    source: z
      .object({
        type: z.string().describe('The type of the resource.'),
        id: z.string().describe('Id of the resource.'),
      })
      .optional()
      .describe('What the task is about.'),
    parent_id: z.string().optional().describe('Id of the task that this one is a part of.'),
    checklist: z.array(ChecklistItem).describe('The steps of the task.'),
    resolution: z.string().optional().describe('How the task ended, in a few words.'),
    action: TaskAction.optional().describe('What completing the task requests.'),
    comments_count: z.int().describe('The number of notes.'),
    created_at: z.string().describe('When it was created.'),
    updated_at: z.string().describe('When it was last changed.'),
    created_by: z
      .object({
        type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
        id: z.string().describe('Id of the caller.'),
      })
      .describe('The caller that created it.'),
    started_at: z.string().optional().describe('When somebody started to work on it.'),
    /** When it ended, be it done or dropped. */
    completed_at: z.string().optional().describe('When it was finished.'),
  }),
)
export type Task = z.output<typeof Task>

const LIST_SHARDS = 8

/** Agents make tasks as fast as they act, and each held action makes one: those are spread over the other lists. */
const MADE_BY_TRAFFIC: readonly string[] = ['agent', 'approval'] satisfies readonly TaskKind[]

/** The list of all other tasks of a status, which are few. */
const APART = LIST_SHARDS

/** The lists of a status, or those in which tasks of a kind are. */
export function listsOf(kind?: TaskKind): number[] {
  if (kind !== undefined && !MADE_BY_TRAFFIC.includes(kind)) return [APART]
  return Array.from({ length: kind === undefined ? LIST_SHARDS + 1 : LIST_SHARDS }, (_, shard) => shard)
}

const listOf = ({ id, kind }: { id: string; kind: TaskKind }): number =>
  MADE_BY_TRAFFIC.includes(kind) ? (sha256(id)[0] ?? 0) % LIST_SHARDS : APART

export const tasks = entity({
  name: 'TASK',
  unbound: 'proven by artifacts',
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
  id: z.string().describe('Id of the note.'),
  text: z.string().describe('The text of the note.'),
  at: z.string().describe('When it happened.'),
  by: z
    .object({
      type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
      id: z.string().describe('Id of the caller.'),
    })
    .describe('The author of the note.'),
})
export type TaskNote = z.output<typeof TaskNote>

const NOTE = 'NOTE'

export const taskNotes = entity({
  name: 'TASKNOTE',
  unbound: 'bounded',
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

/**
 * The action of a task, pinned when the task is opened. A runbook that is edited later does not change it. Neither does anybody who can
 * write to the table, because the artifact of the task has its digest.
 */
export const PinnedAction = TaskAction.omit({ digest: true, execution: true }).extend({
  payload: freeForm.describe('What the action is sent: the template of the step, filled when the task was opened.'),
  /** Everybody who could have written the action. None of them may approve it. */
  authors: z.array(z.string()).describe('The persons who could have written the action. None of them can approve it.'),
})
export type PinnedAction = z.output<typeof PinnedAction>

export const pinnedActions = entity({
  name: 'TASKACTION',
  unbound: 'proven by artifacts',
  schema: z.object({
    ...spaceMembers,
    task_id: z.string(),
    /** The artifact of the task's creation. */
    artifact_id: z.string(),
    /** The pinned action as canonical JSON. */
    text: z.string(),
  }),
  key: (of: Space & { task_id: string }) => ({ pk: taskPartition(of, of.task_id), sk: 'ACTION' }),
})

const textOf = ({ node_id, action_id, runbook_id, runbook_version, payload, authors }: PinnedAction): string =>
  canonicalJson({ node_id, action_id, runbook_id, runbook_version, payload, authors })

export const pinnedDigest = (text: string): string => `sha256:${sha256Hex(text)}`

/** The reference of the task to its pinned action. */
export function reference(action: PinnedAction): z.output<typeof TaskAction> {
  const { payload: _, authors: __, ...named } = action
  return { ...named, digest: pinnedDigest(textOf(action)) }
}

export const pin = (space: Space, action: PinnedAction, of: { task_id: string; artifact_id: string }): Write =>
  pinnedActions.insert({ ...space, ...of, text: textOf(action) })

/** The pinned action of a task, to show it. */
export async function findPinned({ table, space }: Context, task_id: string): Promise<PinnedAction | undefined> {
  const found = await table.get(pinnedActions, { ...space, task_id })
  return found && PinnedAction.parse(JSON.parse(found.text))
}
