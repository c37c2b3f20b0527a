// Who a task is given to by name.
import type { Context } from '../../base/context.ts'
import { type Failure, invalid } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { scimGroups } from '../../identity/scim/groups/stored-group.ts'
import { mayHave } from './pick-worker.ts'
import { personStays, stillThere } from './still-there.ts'
import type { Assignee, Task } from './task.ts'
import { workerOf, workers } from './worker.ts'

/** `stays` holds the commit to whoever gets it. `full`: what to throw when they have too much to do by then. */
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
