// How a task moves with its execution or approval. Loaded by follow.ts with the first task.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Write } from '../../base/table/entity.ts'
import { loadWrites, moved, noteWrite } from './store-task.ts'
import { newTask } from './open-task.ts'
import { AFTER_ACTION, type Followed, FOLLOWS, type SourceStatus } from './states.ts'
import { PinnedAction, pinnedActions, pinnedDigest, type Task, tasks } from './task.ts'
import { conflict } from '../../base/lib/failure.ts'
import { alarm } from '../../base/lib/log.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'

/** The members of an execution that decide where its task moves. */
export type Source = Requested & {
  task_id?: string | undefined
  agent_id?: string | undefined
  /** JSON. */
  routing: string
}

/** The move of a task in its present state; no writes if there is no task, or it has moved already. */
export async function followed(ctx: Context, id: string, to: Followed): Promise<Write[]> {
  const was = await ctx.table.get(tasks, { ...ctx.space, id })
  const next = was && moved(was, to, ctx.now())
  if (!next || next === was) return []
  return [tasks.replace({ ...next, updated_at: iso(ctx.now()) }, was), ...loadWrites(was, next)]
}

/** The same for the task whose completion requested the execution. */
export async function actionFollowed(ctx: Context, execution: Source): Promise<Write[]> {
  const was = await ctx.table.get(tasks, { ...ctx.space, id: execution.task_id ?? '' })
  if (!was) return []
  const { task: next, note } = afterAction(was, execution, ctx.now())
  if (next === was) return []
  return [
    tasks.replace({ ...next, updated_at: iso(ctx.now()) }, was),
    ...loadWrites(was, next),
    ...(note === undefined ? [] : [noteWrite(ctx, was.id, note)]),
  ]
}

/** The task of an execution in its first transaction. The command stays sealed, so the title does not show it. */
export function agentTask(ctx: Context, { id, task_id, agent_id, status, routing }: Source): Write {
  const { tier }: Pick<Task, 'tier'> = JSON.parse(routing)
  const title = agent_id === undefined ? 'Command of an agent' : `Command of ${agent_id}`
  const task = newTask(ctx, { id: task_id ?? '', title, kind: 'agent', tier, source: { type: 'execution', id } })
  return tasks.insert(moved(task, FOLLOWS.execution[status], ctx.now()))
}

/** Of the execution that was requested by completing the task. */
type Requested = {
  id: string
  status: SourceStatus
  rejection?: { detail: string } | undefined
  error?: { message: string } | undefined
}

/** `note` says why the action has no effect, for the person who goes on with the task. */
export type AfterAction = { task: Task; note?: string }

/**
 * The task moves only while it waits for this execution, so that a person who went on with it is not disturbed. It moves back if the
 * execution turns out to have no effect.
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

/** A task that was done goes back to nobody: the worker who did it may have reached their capacity by now. */
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

/** What completing the task requests. Throws 409 where the evidence does not prove that the task was opened with it. */
export async function provenAction(ctx: Context, { id: task_id }: Task): Promise<PinnedAction> {
  const found = await ctx.table.get(pinnedActions, { ...ctx.space, task_id })
  const header = found && (await readSequenced(ctx, found.artifact_id))
  const isIts =
    header?.type === 'task.created' && header.subject?.id === task_id && header.chain === chainName(ctx.space)
  if (found && isIts && header.data?.action_digest === pinnedDigest(found.text))
    return PinnedAction.parse(JSON.parse(found.text))
  alarm('task_action_without_evidence', 'the table states an action that the chain does not prove', { id: task_id })
  throw conflict('The action of this task is not the one that it was opened with. Link the runbook again.')
}
