// How any area opens a task: a draft becomes the parts of its own commit.
import type { Context } from '../../base/context.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import { type Assignee, pin, type PinnedAction, reference, type Task } from './task.ts'
import { taskParts, type TaskParts } from './store-task.ts'
import { iso } from '../../base/lib/clock.ts'
import { slaPolicyFor } from '../../base/sla/policy.ts'
import { startSla } from '../../base/sla/sla.ts'
import { type Failure, invalid } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { scimGroups } from '../../identity/scim/groups/stored-group.ts'
import { allWorkers, personStays, stillThere, TIERS, type Worker, workerOf, workers } from './worker.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { FOR_PEOPLE } from './states.ts'

/**
 * The parts of a commit that opens a task, assigns it and pins its action. Commit them together with the change that needs the task,
 * inside `retryWhenChanged`: if the picked worker has reached their capacity or left meanwhile, the commit throws
 * `ChangedMeanwhile`. A draft with an `id` of its own is opened once: the second commit is a 409.
 */
export async function openTask(ctx: Context, draft: TaskDraft): Promise<TaskParts> {
  const { assigned = await autoAssigned(ctx, draft) } = draft
  const parts = taskParts(ctx, undefined, newTask(ctx, draft, assigned), { full: assigned.full })
  const [created] = parts.transitions
  const of = { task_id: parts.task.id, artifact_id: created?.artifact.artifact_id ?? '' }
  const pinned = draft.action ? [pin(ctx.space, draft.action, of)] : []
  return { ...parts, writes: [...parts.writes, ...assigned.stays, ...pinned] }
}

async function autoAssigned(ctx: Context, draft: TaskDraft): Promise<Assigned> {
  const picked = await pickWorker(ctx, { ...draft, labels: draft.labels ?? [] })
  return picked ? { ...assignedTo(picked.worker), stays: picked.stays, full: new ChangedMeanwhile() } : NOBODY
}

export type TaskDraft = Pick<Task, 'title' | 'kind'> &
  Partial<
    Pick<Task, 'description' | 'priority' | 'tier' | 'labels' | 'due_at' | 'source' | 'parent_id' | 'checklist'>
  > & {
    /** `tsk_…` that follows from the source, where there may be only one task for it: a second commit is a 409. */
    id?: string
    /** The action that completing it requests. */
    action?: PinnedAction | undefined
    /** Default: the fitting worker with the least to do. `NOBODY`: nobody yet. */
    assigned?: Assigned | undefined
    /** Users and workers to whom it is not assigned by itself. */
    except?: readonly string[]
    /** The only workers to whom it may be assigned by itself. */
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

/**
 * `stays` lets the commit fail if the account or key of the assignee has ended meanwhile. `full`: what to throw if they have reached
 * their capacity.
 */
export type Assigned = Pick<Task, 'assignee' | 'worker_id'> & { stays: Write[]; full?: Failure | undefined }

export const NOBODY: Assigned = { assignee: null, worker_id: undefined, stays: [] }

/** Throws 422 for somebody who does not exist, is not active, or may not have such a task. */
export async function assignTo(
  ctx: Context,
  assignee: Assignee | null,
  task: Pick<Task, 'kind' | 'tier'>,
): Promise<Assigned> {
  if (assignee === null) return NOBODY
  if (assignee.type === 'human') return toPerson(ctx, assignee)
  if (assignee.type === 'ai') return toAgent(ctx, assignee, task)
  if (!(await ctx.table.get(scimGroups, { ...ctx.space, id: assignee.id }))) throw refused('no such group')
  return { ...NOBODY, assignee }
}

const refused = (msg: string) => invalid(['assignee', 'id'], msg)

/** A person need not be registered as a worker; then nobody counts how much they have. */
async function toPerson(ctx: Context, assignee: Assignee): Promise<Assigned> {
  const [stays, worker] = await Promise.all([
    personStays(ctx, assignee.id),
    workerOf(ctx.table, ctx.space, assignee.id),
  ])
  if (!stays) throw refused('no such active user')
  return { assignee, worker_id: worker?.id, stays }
}

async function toAgent(ctx: Context, assignee: Assignee, task: Pick<Task, 'kind' | 'tier'>): Promise<Assigned> {
  const worker = await ctx.table.get(workers, { ...ctx.space, id: assignee.id })
  const stays = worker?.type === 'ai' ? await stillThere(ctx, worker) : undefined
  if (!worker || !stays) throw refused('no such active AI worker')
  if (!mayHave(worker, task)) throw refused('an AI worker may not have a task of this kind or tier')
  return { assignee, worker_id: worker.id, stays }
}

type Wanted = Pick<Task, 'kind' | 'tier' | 'labels'> & {
  /** Users and workers who must not get it. */
  except?: readonly string[] | undefined
  /** The only workers who may get it; without it, all. */
  among?: readonly string[] | undefined
}

/** `stays` lets the commit fail if the account or key of the worker has ended meanwhile. */
export type Picked = { worker: Stored<Worker>; stays: Write[] }

/** The least loaded worker who has every label among their skills; undefined when nobody fits. */
export async function pickWorker(ctx: Context, wanted: Wanted): Promise<Picked | undefined> {
  const fitting = (await allWorkers(ctx.table, ctx.space)).filter((worker) => fits(worker, wanted)).toSorted(byLoad)
  for (const worker of fitting) {
    const stays = await stillThere(ctx, worker)
    if (stays) return { worker, stays }
    await pause(ctx, worker)
  }
  return undefined
}

function fits(worker: Worker, { kind, tier, labels, except = [], among }: Wanted): boolean {
  const { id, user_id, status, load, capacity, skills } = worker
  if (status !== 'active' || load >= capacity || except.includes(id) || except.includes(user_id ?? '')) return false
  if (among && !among.includes(id)) return false
  return labels.every((label) => skills.includes(label)) && mayHave(worker, { kind, tier })
}

/** The rule for AI workers, for a task that is assigned by a person as for one that is assigned by itself. */
function mayHave({ type, max_tier }: Worker, { kind, tier = 'AUTO' }: Pick<Task, 'kind' | 'tier'>): boolean {
  return type === 'human' || (!FOR_PEOPLE.includes(kind) && TIERS.indexOf(tier) <= TIERS.indexOf(max_tier))
}

const byLoad = (a: Worker, b: Worker): number => a.load / a.capacity - b.load / b.capacity || (a.id < b.id ? -1 : 1)

/** The account or key of the worker has ended. Somebody who changed the worker meanwhile wins. */
async function pause(ctx: Context, worker: Stored<Worker>): Promise<void> {
  const artifact = newArtifact(ctx, {
    type: 'worker.updated',
    subject: { type: 'worker', id: worker.id },
    data: { status: 'paused', reason: 'credential_ended' },
  } as const)
  const paused: Worker = { ...worker, status: 'paused', updated_at: iso(ctx.now()) }
  const evidence = commitWith(ctx, [{ artifact }])
  await ctx.table.commit([workers.replace(paused, worker, new ChangedMeanwhile()), ...evidence])
}

/** How a task names its worker. */
export const assignedTo = ({ id, type, user_id }: Worker): Pick<Task, 'assignee' | 'worker_id'> => ({
  assignee: type === 'human' && user_id !== undefined ? { type: 'human', id: user_id } : { type: 'ai', id },
  worker_id: id,
})
