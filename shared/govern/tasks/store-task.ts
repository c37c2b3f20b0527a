// A change of a task as the parts of a commit: the task, the load of whoever has it, and the artifact that proves it. It is no
// `lifecycle`, because other artifacts may stand in the place of that one, and most changes leave the status as it is.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, type Failure } from '../../base/lib/failure.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Following, Stored, Write } from '../../base/table/entity.ts'
import { newMail, type Mail } from '../../ledger/events/mail.ts'
import { type ArtifactFacts, newArtifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded, type Transition } from '../../ledger/evidence/artifact/record.ts'
import { loadWrites } from './load.ts'
import { type Task, tasks } from './task.ts'

/** Goes into one commit together with `recorded(ctx, [...own, ...transitions], { mails })`. */
export type TaskParts = { task: Stored<Task>; writes: Write[]; transitions: Transition[]; mails: Mail[] }

type More = {
  writes?: readonly (Write | Following)[]
  transitions?: readonly Transition[]
  /** Set when this is what the request asked for. */
  ref?: string
}

/** A commit about the task, with whatever else belongs to it. */
export async function commitTask(ctx: Context, { task, ...parts }: TaskParts, more: More = {}): Promise<Stored<Task>> {
  const [first, ...others] = [...parts.transitions, ...(more.transitions ?? [])]
  if (!first) throw new Error('a task without evidence')
  const evidence = recorded(ctx, [first, ...others], { mails: parts.mails })
  await ctx.table.commit([...parts.writes, ...(more.writes ?? []), ...evidence], more.ref)
  return task
}

const EXISTS = conflict('There is a task for this already.')

type Options = {
  /** Thrown when the worker is full or paused by then. */
  full?: Failure | undefined
  /** Artifacts in the place of the one that says what was changed. */
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
  const write = was ? tasks.replace(next, was, new Overtaken()) : tasks.insert(next, EXISTS)
  return {
    task: { ...next, _v: (was?._v ?? 0) + 1 },
    writes: [write, ...loadWrites(was, next, full)],
    transitions: newArtifacts(ctx, ...facts).map((artifact) => ({ artifact })),
    mails: assignedMails(ctx, was, next),
  }
}

/** Ids and words of closed lists only: what people write stands in the task alone. */
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
