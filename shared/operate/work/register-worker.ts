// A worker is a person with an active account, or an agent with an active key that is bound to it. Being one gives no right:
// what they may do with a task follows from the account or the key.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { allWorkers, stillThere, type Worker, workers, WORKERS_MAX, workersOf } from '../../govern/tasks/worker.ts'
import { agentWrites } from '../../identity/access/agent.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { WorkerBody } from './worker-fields.ts'

/** Throws 422 where the account or key is not active, 409 where it is registered already. */
export const registerWorker = (ctx: Context, body: WorkerBody): Promise<Stored<Worker>> =>
  retryWhenOvertaken(() => register(ctx, body))

async function register(ctx: Context, body: WorkerBody): Promise<Stored<Worker>> {
  const worker = newWorker(ctx, body)
  const { agent, name, max_tier } = worker
  const of = mustNameOne(body)
  const asWorker = {
    worker_id: worker.id,
    persona_key: agent?.persona_key ?? null,
    model_slot: agent?.model_slot ?? null,
  }
  const [stays, seen, all] = await Promise.all([
    stillThere(ctx, worker),
    agentWrites(ctx, agent?.agent_id, name, { ...asWorker, max_tier }),
    allWorkers(ctx.table, ctx.space),
  ])
  if (!stays) throw invalid(of.loc, of.missing)
  if (all.length >= WORKERS_MAX) throw conflict(`You have ${WORKERS_MAX} workers, as many as there can be.`)
  await ctx.table.commit(
    [
      workers.insert(worker),
      workersOf.insert({ ...ctx.space, of: of.id, worker_id: worker.id }, conflict(TAKEN)),
      ...stays,
      ...seen.writes,
      ...changed(ctx, [{ ...change('created', worker), data: factsOf(worker), events: seen.events }]),
    ],
    worker.id,
  )
  return { ...worker, _v: 1 }
}

const TAKEN = 'This user or key is registered as a worker already. Change that worker instead.'

function mustNameOne({ type, user_id, agent }: WorkerBody) {
  if (type === 'human' && agent) throw invalid(['agent'], 'must be left out for a human worker', 'extra_forbidden')
  if (type === 'ai' && user_id) throw invalid(['user_id'], 'must be left out for an AI worker', 'extra_forbidden')
  if (type === 'human' && user_id) return { id: user_id, loc: ['user_id'], missing: 'no such active user' }
  if (type === 'ai' && agent)
    return {
      id: agent.api_key_id,
      loc: ['agent', 'api_key_id'],
      missing: 'no active key of this mode bound to the agent',
    }
  throw invalid([type === 'human' ? 'user_id' : 'agent'], 'is required', 'missing')
}

export function newWorker(ctx: Context, body: WorkerBody): Worker {
  const at = iso(ctx.now())
  return {
    ...ctx.space,
    ...body,
    id: ctx.id('wrk'),
    load: 0,
    status: 'active',
    created_at: at,
    updated_at: at,
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
  }
}

export const change = (verb: 'created' | 'updated', { id, name }: Worker) =>
  ({ action: `worker.${verb}`, artifact: `worker.${verb}`, subject: { type: 'worker', id, name } }) as const

const factsOf = ({ type, user_id, agent, max_tier, capacity }: Worker) => ({
  type,
  max_tier,
  capacity,
  ...(user_id !== undefined && { user_id }),
  ...(agent && { agent_id: agent.agent_id, api_key_id: agent.api_key_id }),
})
