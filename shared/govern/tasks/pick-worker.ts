// Who gets a task that names nobody.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { FOR_PEOPLE } from './states.ts'
import { stillThere } from './still-there.ts'
import type { Task } from './task.ts'
import { allWorkers, TIERS, type Worker, workers } from './worker.ts'

type Wanted = Pick<Task, 'kind' | 'tier' | 'labels'> & {
  /** Users and workers who must not get it. */
  except?: readonly string[] | undefined
  /** The only workers who may get it; without it, all. */
  among?: readonly string[] | undefined
}

/** `stays` holds the commit to the account or key of the worker. */
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

/** What an AI worker may be given, whoever gives it. */
export function mayHave({ type, max_tier }: Worker, { kind, tier = 'AUTO' }: Pick<Task, 'kind' | 'tier'>): boolean {
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
  const evidence = recorded(ctx, [{ artifact }])
  await ctx.table.commit([workers.replace(paused, worker, new Overtaken()), ...evidence])
}

/** How a task names its worker. */
export const assignedTo = ({ id, type, user_id }: Worker): Pick<Task, 'assignee' | 'worker_id'> => ({
  assignee: type === 'human' && user_id !== undefined ? { type: 'human', id: user_id } : { type: 'ai', id },
  worker_id: id,
})
