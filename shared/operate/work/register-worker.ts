// A worker is a person with an active account, or an agent with an active key that is bound to it. Being one gives no right:
// what they may do with a task follows from the account or the key.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid, notFound } from '../../base/lib/failure.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import {
  allWorkers,
  stillThere,
  TIERS,
  type Worker,
  workers,
  WORKERS_MAX,
  workersOf,
} from '../../govern/tasks/worker.ts'
import { agentWrites } from '../../identity/access/agent.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { given } from '../../base/lib/json.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import * as z from 'zod'
import { displayName, id, optional, plainText } from '../../base/wire/fields.ts'

/**
 * Stores the worker, who gets tasks from then on. Throws 422 where the account or key is not active, 409 where it is registered
 * already and when there are too many workers. Rights are not taken from the body: they follow from the account or key. The commit
 * fails if the account or key ends meanwhile, and of two requests for the same one a single one succeeds.
 */
export const registerWorker = (ctx: Context, body: WorkerBody): Promise<Stored<Worker>> =>
  retryWhenChanged(() => register(ctx, body))

async function register(ctx: Context, body: WorkerBody): Promise<Stored<Worker>> {
  const worker = newWorker(ctx, body)
  const { agent, name, max_tier } = worker
  const of = mustNameOne(body)
  const asWorker = {
    worker_id: worker.id,
    persona_key: agent?.persona_key ?? null,
    model_slot: agent?.model_slot ?? null,
  }
  const [unended, seen, all] = await Promise.all([
    stillThere(ctx, worker),
    agentWrites(ctx, agent?.agent_id, name, { ...asWorker, max_tier }),
    allWorkers(ctx.table, ctx.space),
  ])
  if (!unended) throw invalid(of.loc, of.missing)
  if (all.length >= WORKERS_MAX) throw conflict(`You have ${WORKERS_MAX} workers, as many as there can be.`)
  await ctx.table.commit(
    [
      workers.insert(worker),
      workersOf.insert({ ...ctx.space, of: of.id, worker_id: worker.id }, conflict(TAKEN)),
      ...unended,
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

const change = (verb: 'created' | 'updated', worker: Worker) =>
  ({
    action: `worker.${verb}`,
    artifact: `worker.${verb}`,
    subject: { type: 'worker', id: worker.id, name: worker.name },
  }) as const

const factsOf = ({ type, user_id, agent, max_tier, capacity }: Worker) => ({
  type,
  max_tier,
  capacity,
  ...(user_id !== undefined && { user_id }),
  ...(agent && { agent_id: agent.agent_id, api_key_id: agent.api_key_id }),
})

const CHANGEABLE = ['name', 'status', 'skills', 'capacity', 'max_tier'] as const

/**
 * Changes the given fields; tasks that a worker has stay assigned. Throws 404, 409 for another version, and 409 for a worker who
 * is to be active although the account or key has ended.
 */
export const changeWorker = (ctx: Context, workerId: string, patch: WorkerPatch): Promise<Stored<Worker>> =>
  retryWhenChanged(async () => {
    const was = await ctx.table.get(workers, { ...ctx.space, id: workerId })
    if (!was) throw notFound('worker')
    const { version, ...fields } = patch
    mustBeCurrent(version, was._v)
    const next: Worker = { ...was, ...given(fields), updated_at: iso(ctx.now()) }
    const unended = fields.status === 'active' ? await stillThere(ctx, was) : []
    if (!unended) throw conflict('The account or key of this worker is not active. Register another worker.')
    const differ = CHANGEABLE.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(next[name]))
    const { status, max_tier, capacity } = next
    await ctx.table.commit(
      [
        workers.replace(next, was, new ChangedMeanwhile()),
        ...unended,
        ...changed(ctx, [
          {
            ...change('updated', next),
            data: { changed_fields: differ, status, max_tier, capacity },
            changes: differ.map((path) => ({ path, before: was[path], after: next[path] })),
          },
        ]),
      ],
      workerId,
    )
    return { ...next, _v: was._v + 1 }
  })

const Name = displayName(120)
const Skills = z
  .array(plainText(60))
  .max(50)
  .transform((skills) => [...new Set(skills)])
const Capacity = z.int().min(1).max(1_000)

export const WorkerBody = z.strictObject({
  type: z.enum(['human', 'ai']).describe('Whether the worker is a person or an agent.'),
  name: Name.describe('A name for people.'),
  user_id: optional(id).describe('Id of the person.'),
  agent: optional(
    z.strictObject({
      agent_id: id.describe('Id of the agent, which is bound to the credential or stated in the request.'),
      model_slot: optional(plainText(120)).describe('The model that the agent uses.'),
      persona_key: optional(plainText(120)).describe('Key of the persona that the agent uses.'),
      api_key_id: id.describe('Id of the API key that was used.'),
    }),
  ).describe('The agent, and the key that it works with.'),
  skills: Skills.default([]).describe('Labels of tasks that the worker can do.'),
  capacity: Capacity.default(10).describe('The maximum number of open tasks of the worker.'),
  max_tier: z.enum(TIERS).default('AUTO').describe('The highest tier that the worker may run.'),
})
export type WorkerBody = z.output<typeof WorkerBody>

export const WorkerPatch = z.strictObject({
  name: optional(Name).describe('A name for people.'),
  status: optional(z.enum(['active', 'paused'])).describe('The current state.'),
  skills: optional(Skills).describe('Labels of tasks that the worker can do.'),
  capacity: optional(Capacity).describe('The maximum number of open tasks of the worker.'),
  max_tier: optional(z.enum(TIERS)).describe('The highest tier that the worker may run.'),
  version: optional(z.int()).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
export type WorkerPatch = z.output<typeof WorkerPatch>
