// Where a task goes with the execution that was requested by completing it. Pure.
import { moved } from './moved.ts'
import { AFTER_ACTION, type SourceStatus } from './states.ts'
import type { Task } from './task.ts'

/** Of the execution. */
export type Requested = {
  id: string
  status: SourceStatus
  rejection?: { detail: string } | undefined
  error?: { message: string } | undefined
}

/** `note` says why the action has no effect, for whoever goes on with the task. */
export type AfterAction = { task: Task; note?: string }

/**
 * Somebody who acts on a task that was done, or given back, goes on from there: it moves only while it waits for this
 * execution, and back when what was done turns out to have no effect.
 */
export function afterAction(was: Task, { id, ...execution }: Requested, now: number): AfterAction {
  if (was.action?.execution?.id !== id || (was.status !== 'in_review' && was.status !== 'completed'))
    return { task: was }
  const { status } = execution
  const task: Task = { ...was, action: { ...was.action, execution: { id, status } } }
  const to = AFTER_ACTION[status]
  if (to === 'completed') {
    return { task: was.status === 'completed' ? task : moved(task, { status: to, resolution: `executed: ${id}` }, now) }
  }
  if (to === 'in_review') return { task }
  const note = `The task goes on, because its execution ${id} ${reasonOf(execution)}`
  return { task: withNote(reopened(task, now)), note }
}

const withNote = (task: Task): Task => ({ ...task, comments_count: task.comments_count + 1 })

/** One that was done goes back to nobody: whoever did it may have as much to do by now as they take. */
const reopened = (task: Task, now: number): Task =>
  task.status === 'completed'
    ? { ...moved(task, { status: 'open' }, now), assignee: null, worker_id: undefined }
    : moved(task, { status: 'in_progress' }, now)

function reasonOf({ status, rejection, error }: Omit<Requested, 'id'>): string {
  if (status === 'rejected') return rejection ? `was rejected: ${rejection.detail}.` : 'was rejected by an approver.'
  if (status === 'expired') return 'was not approved in time.'
  if (status === 'cancelled') return 'was cancelled.'
  if (status === 'undone') return 'was undone.'
  return `failed: ${error?.message ?? 'its outcome was reported as a failure.'}`
}
