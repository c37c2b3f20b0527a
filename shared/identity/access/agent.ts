// The agents that a tenant's credentials name.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import type { EventData } from '../../ledger/events/schemas.ts'
import { iso } from '../../base/lib/clock.ts'
import { isActorName } from '../../ledger/conduct/conduct.ts'
import { isCredentialId } from '../../base/lib/ids.ts'
import { ID } from '../../base/wire/fields.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { entity, key, type Write } from '../../base/table/entity.ts'

const agents = entity({
  name: 'AGENT',
  unbound: 'bounded',
  schema: z.object({ tenant_id: z.string(), id: z.string(), name: z.string(), created_at: z.string() }),
  key: (of: { tenant_id: string; id: string }) => ({ pk: key('T', of.tenant_id, 'live', 'AGENT', of.id), sk: 'AGENT' }),
})

/** Those of the ids that some credential names. */
export async function knownAgents({ table, space: { tenant_id } }: Context, ids: readonly string[]): Promise<string[]> {
  const found = await table.getAll(
    agents,
    ids.filter((id) => ID.test(id)).map((id) => ({ tenant_id, id })),
  )
  return found.map(({ id }) => id)
}

type AgentWrites = { writes: Write[]; events: EventDraft[] }

/** Where the agent becomes known as a worker. */
type AsWorker = Pick<EventData<'agent.created'>, 'worker_id' | 'persona_key' | 'model_slot' | 'max_tier'>
const NO_WORKER: AsWorker = { worker_id: null, persona_key: null, model_slot: null, max_tier: 'HARD' }

/** What to commit together with a credential of this agent: with the first one, the agent itself. */
export async function agentWrites(
  ctx: Context,
  id: string | undefined,
  name: string,
  worker: AsWorker = NO_WORKER,
): Promise<AgentWrites> {
  const { tenant_id } = ctx.space
  if (id && isCredentialId(id))
    throw invalid(['agent_id'], 'An agent cannot have the id of a key or client. Choose another id.')
  if (id === undefined || (await ctx.table.get(agents, { tenant_id, id }))) return { writes: [], events: [] }
  if (isActorName(id)) throw invalid(['agent_id'], 'must not begin like the name of a credential or a person')
  const race = conflict('Another request has just made a credential for this agent. Try again.')
  const data = { agent_id: id, name, ...worker }
  return {
    writes: [agents.insert({ tenant_id, id, name, created_at: iso(ctx.now()) }, race)],
    events: [{ type: 'agent.created', subject: { id, version: 1 }, data }],
  }
}
