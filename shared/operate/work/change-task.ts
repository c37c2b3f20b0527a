// A change of a task by a person or agent who works on it.
import type { Context } from '../../base/context.ts'
import { conflict, Failure, invalid } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { TaskEffects } from '../../govern/tasks/task-effects.ts'
import { answered } from '../../base/sla/sla.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { isUnderWay } from '../../govern/executions/states.ts'
import { storedTexts } from '../../govern/governance/pii/stored-text.ts'
import { assignTo, type Assigned, NOBODY } from '../../govern/tasks/open-task.ts'
import { commitTask, moved, noteWrite, reprioritised, taskParts } from '../../govern/tasks/store-task.ts'
import { FOLLOWS, hasEnded, TASK_STATES } from '../../govern/tasks/states.ts'
import type { Task } from '../../govern/tasks/task.ts'
import { findTask, mustBeTheirs, type TaskPatch } from './task-view.ts'

const REOPEN_MS = 30 * 86_400_000
const NOTES_MAX = 500

/** `changed` is false when everything was so already. */
export type Changed = { task: Stored<Task>; changed: boolean }

/**
 * Stores the change with its evidence in one transaction; completing a task may decide on something (`effects`) or request its
 * action in the same transaction. Throws 403 for somebody else's task, 409 for a move that its state does not allow or another
 * version, 422 for an assignee that does not fit. The payload of an action comes from the pinned copy, never from the caller. A
 * change of another request meanwhile is read, and this one is checked again.
 */
export const changeTask = (
  ctx: Context,
  id: string,
  patch: Partial<TaskPatch>,
  effects: TaskEffects = {},
): Promise<Changed> => retryWhenChanged(() => change(ctx, id, patch, effects))

async function change(ctx: Context, id: string, patch: Partial<TaskPatch>, effects: TaskEffects): Promise<Changed> {
  const was = await findTask(ctx, id)
  await mustBeTheirs(ctx, was)
  mustBeCurrent(patch.version, was._v)
  mustBePossible(ctx, was, patch)
  if (effects[was.kind]) mustDecideOnce(was, patch)
  const { note, resolution, checklist, labels } = patch
  const texts = await storedTexts(ctx, { note, resolution, checklist, labels })
  const assigned = await assignedBy(ctx, was, patch)
  const runs = mustRun(was, patch)
  const next = { ...edit(ctx, was, { ...patch, ...texts }, runs), ...namedBy(assigned) }
  if (JSON.stringify(next) === JSON.stringify(was)) return { task: was, changed: false }
  const writes = [...(assigned?.stays ?? []), ...(texts.note === undefined ? [] : [noteWrite(ctx, id, texts.note)])]
  if (runs) {
    const { runAction } = await import('./run-action.ts')
    await runAction(ctx, { was, next, writes })
    return { task: await findTask(ctx, id), changed: true }
  }
  const effect = await effectOf(ctx, was, patch, effects)
  const task = await commitTask(ctx, taskParts(ctx, was, next), {
    writes: [...writes, ...(effect?.writes ?? [])],
    transitions: effect?.transitions ?? [],
    ref: id,
  })
  await effect?.after?.()
  return { task, changed: true }
}

const namedBy = (assigned: Assigned | undefined): Partial<Task> =>
  assigned ? { assignee: assigned.assignee, worker_id: assigned.worker_id } : {}

function mustBePossible(ctx: Context, was: Task, { status, note }: Partial<TaskPatch>): void {
  if (note !== undefined && was.comments_count >= NOTES_MAX)
    throw conflict(`A task has at most ${NOTES_MAX} notes. Open another one.`)
  if (status === undefined || status === was.status) return
  const source = was.source?.type
  if (source && source in FOLLOWS)
    throw conflict(`The status of this task follows its ${source} and cannot be set. Act on the ${source} instead.`)
  if (followsExecution(was))
    throw conflict('The status of this task follows its execution, which has not ended. Act on the execution instead.')
  mustAllowMove(TASK_STATES, was.status, status)
  if (was.completed_at !== undefined && ctx.now() - Date.parse(was.completed_at) > REOPEN_MS)
    throw conflict('The task ended more than 30 days ago and cannot be opened again. Create another one.')
}

const followsExecution = ({ status, action }: Task): boolean =>
  status === 'in_review' && action?.execution !== undefined && isUnderWay(action.execution.status)

/**
 * Whether the change requests the action of the task. Where the outcome of the last run is not known, people find out what
 * happened and say so: nothing runs twice because of that.
 */
function mustRun({ status, action }: Task, patch: Partial<TaskPatch>): boolean {
  if (!action || patch.status !== 'completed' || status === 'completed') return false
  if (status === 'in_review' && action.execution?.status === 'outcome_unknown') return false
  if (patch.resolution === undefined) return true
  throw invalid(['resolution'], 'must be left out: the execution of the action is the resolution. Send a note instead')
}

/** Where completing a task decides on something, its resolution is that decision and cannot be changed. */
function mustDecideOnce(was: Task, { status, resolution }: Partial<TaskPatch>): void {
  const completes = status === 'completed' && was.status !== 'completed'
  if (completes || resolution === undefined || resolution === was.resolution) return
  throw conflict('The resolution of this task is a decision, which is made by completing the task, once. Leave it out.')
}

async function effectOf(ctx: Context, was: Task, patch: Partial<TaskPatch>, effects: TaskEffects) {
  return patch.status === 'completed' && was.status !== 'completed' ? effects[was.kind]?.(ctx, was, patch) : undefined
}

/** Undefined: the assignee stays. An assignee who has left since the task ended does not get it back when it is reopened. */
async function assignedBy(
  ctx: Context,
  was: Task,
  { assignee, status }: Partial<TaskPatch>,
): Promise<Assigned | undefined> {
  if (assignee !== undefined) return assignTo(ctx, assignee, was)
  if (!hasEnded(was.status) || status !== 'open') return undefined
  return assignTo(ctx, was.assignee, was).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'invalid') return NOBODY
    throw error
  })
}

function edit(ctx: Context, was: Stored<Task>, patch: Partial<TaskPatch>, runs: boolean): Stored<Task> {
  const { status = was.status, priority = was.priority, resolution, note, due_at } = patch
  const now = ctx.now()
  const to = {
    status: runs ? ('in_review' as const) : status,
    ...(resolution !== undefined && { resolution }),
  }
  const task = reprioritised(moved(was, to, now), priority, now)
  const answers = note !== undefined && ctx.principal.id !== was.created_by.id && !hasEnded(task.status)
  return {
    ...task,
    due_at: due_at === undefined ? was.due_at : (due_at ?? undefined),
    labels: patch.labels ?? was.labels,
    checklist: patch.checklist ?? was.checklist,
    comments_count: was.comments_count + (note === undefined ? 0 : 1),
    sla: answers ? answered(task.sla, now) : task.sla,
    _v: was._v,
  }
}
