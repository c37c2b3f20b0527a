// A change of a task as the parts of a commit: the task, the load of its worker, and the artifact that proves the change. It is
// no `lifecycle`, because other artifacts may take the place of that one, and most changes leave the status as it is.
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, type Failure } from '../../base/lib/failure.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import type { Following, Stored, Write } from '../../base/table/entity.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'
import { type ArtifactFacts, newArtifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith, type Transition } from '../../ledger/evidence/artifact/record.ts'
import { type Task, taskNotes, tasks } from './task.ts'
import { type Priority, slaPolicy, slaPolicyFor } from '../../base/sla/policy.ts'
import { answered, ended, paused, resumed, retargeted, type Sla } from '../../base/sla/sla.ts'
import { type Followed, hasEnded, type TaskStatus } from './states.ts'
import { workers } from './worker.ts'

/** Goes into one commit together with `commitWith(ctx, [...own, ...transitions], { mails })`. */
export type TaskParts = { task: Stored<Task>; writes: Write[]; transitions: Transition[]; mails: Mail[] }

type More = {
  writes?: readonly (Write | Following)[]
  transitions?: readonly Transition[]
  /** Set when this is what the request asked for. */
  ref?: string
}

/** Commits the parts of a task, with further writes and transitions that belong to the same change. */
export async function commitTask(ctx: Context, { task, ...parts }: TaskParts, more: More = {}): Promise<Stored<Task>> {
  const [first, ...others] = [...parts.transitions, ...(more.transitions ?? [])]
  if (!first) throw new Error('a task without evidence')
  const evidence = commitWith(ctx, [first, ...others], { mails: parts.mails })
  await ctx.table.commit([...parts.writes, ...(more.writes ?? []), ...evidence], more.ref)
  return task
}

const EXISTS = conflict('There is a task for this already.')

type Options = {
  /** Thrown when the worker is full or paused by then. */
  full?: Failure | undefined
  /** Artifacts in the place of the one that lists the changed fields. */
  as?: readonly ArtifactFacts[]
}

/** `was` is undefined for a task that is made. */
export function taskParts(
  ctx: Context,
  was: Stored<Task> | undefined,
  changed: Task,
  { full, as }: Options = {},
): TaskParts {
  const next: Task = { ...changed, updated_at: iso(ctx.now()) }
  const type = was ? ('task.updated' as const) : ('task.created' as const)
  const facts = as ?? [{ type, subject: { type: 'task', id: next.id }, data: factsOf(was, next) }]
  const write = was ? tasks.replace(next, was, new ChangedMeanwhile()) : tasks.insert(next, EXISTS)
  return {
    task: { ...next, _v: (was?._v ?? 0) + 1 },
    writes: [write, ...loadWrites(was, next, full)],
    transitions: newArtifacts(ctx, ...facts).map((artifact) => ({ artifact })),
    mails: assignedMails(ctx, was, next),
  }
}

/** Ids and words of closed lists only: texts of people are stored in the task alone. */
function factsOf(was: Task | undefined, next: Task) {
  const { kind, status, priority, assignee, source, action } = next
  const differ = was ? FIELDS.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(next[name])) : []
  return {
    kind,
    status,
    priority,
    assignee: assignee && `${assignee.type}:${assignee.id}`,
    ...(source && { source: `${source.type}:${source.id}` }),
    ...(action && { action_digest: action.digest }),
    ...(action?.execution && { execution_id: action.execution.id }),
    ...(was && { changed_fields: differ }),
  }
}

const FIELDS = [
  'status',
  'assignee',
  'priority',
  'due_at',
  'labels',
  'checklist',
  'resolution',
  'action',
  'comments_count',
  'sla',
] as const

/** To a person who got it from somebody else. */
function assignedMails(ctx: Context, was: Task | undefined, { assignee, title, id, priority }: Task): Mail[] {
  if (assignee?.type !== 'human' || assignee.id === was?.assignee?.id || assignee.id === ctx.principal.id) return []
  return [newMail(ctx, 'task_assigned', { user_id: assignee.id }, { name: title, task: id, priority })]
}

/** The task in another state, with its clocks. While it is blocked no clock runs. The first move out of `open` is the first response. */
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

/** Another priority may have another policy; time that has run already counts for it, too. */
export function reprioritised(task: Task, priority: Priority, now: number): Task {
  const next = { ...task, priority }
  const sla = retargeted(task.sla, slaPolicy(task.sla.policy_id), slaPolicyFor(next), now)
  return { ...next, sla }
}

type End = Followed & { status: 'completed' | 'cancelled' }

/**
 * How the area that opened a task ends it, when the matter has ended. Undefined if there is no such task, or it has ended. The parts go
 * into a commit inside `retryWhenChanged`.
 */
export async function closeTask(ctx: Context, id: string, end: End): Promise<TaskParts | undefined> {
  const was = await ctx.table.get(tasks, { ...ctx.space, id })
  return was && !hasEnded(was.status) ? taskParts(ctx, was, moved(was, end, ctx.now())) : undefined
}

/** A note of the caller. The task counts its notes. */
export const noteWrite = (ctx: Context, task_id: string, text: string): Write =>
  taskNotes.insert({
    ...ctx.space,
    task_id,
    id: ctx.id('note'),
    text,
    at: iso(ctx.now()),
    by: { type: ctx.principal.kind, id: ctx.principal.id },
  })

const FULL = conflict('The worker has as much work as they take, or is paused. Choose another one.')

/** Counts one more task; fails if the worker is paused by then, or has reached their capacity. */
const takeOn = (space: Space, id: string, otherwise: Failure = FULL): Write =>
  workers.update(
    { ...space, id },
    {
      add: { load: 1 },
      condition: {
        expression: '#load < #capacity AND #status = :active',
        names: { '#capacity': 'capacity', '#status': 'status' },
        values: { ':active': 'active' },
      },
    },
    otherwise,
  )

const letGo = (space: Space, id: string): Write =>
  workers.update({ ...space, id }, { add: { load: -1 }, condition: { expression: 'attribute_exists(pk)' } })

const loadedOn = ({ status, worker_id }: Task): string | undefined => (hasEnded(status) ? undefined : worker_id)

/** Moves the load from the former worker to the new one, in the transaction of the task; it never exceeds a capacity. */
export function loadWrites(was: Task | undefined, next: Task, full?: Failure): Write[] {
  const from = was && loadedOn(was)
  const to = loadedOn(next)
  if (from === to) return []
  return [...(from === undefined ? [] : [letGo(next, from)]), ...(to === undefined ? [] : [takeOn(next, to, full)])]
}
