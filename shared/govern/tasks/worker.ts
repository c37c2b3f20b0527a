// Who takes tasks: people, and agents with a key. How much each has is counted in the transactions of the tasks themselves.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, key, spaceKey, type Stored, type Write } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import type { Table } from '../../base/table/table.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import { apiKeys, keyRefs, statusOf } from '../../identity/access/api-key.ts'
import { grantNow, makerOf } from '../../identity/access/permissions.ts'
import { users } from '../../identity/accounts/user.ts'

export const TIERS = ['AUTO', 'SOFT', 'HARD'] as const

export const Worker = z.object({
  ...resourceMembers,
  type: z.enum(['human', 'ai']).describe('Whether the worker is a person or an agent.'),
  name: z.string().describe('A name for people.'),
  user_id: z.string().optional().describe('Id of the person.'),
  agent: z
    .object({
      agent_id: z.string().describe('Id of the agent, which is bound to the credential or stated in the request.'),
      model_slot: z.string().optional().describe('The model that the agent uses.'),
      persona_key: z.string().optional().describe('Key of the persona that the agent uses.'),
      api_key_id: z.string().describe('Id of the API key that was used.'),
    })
    .optional()
    .describe('The agent, and the key that it works with.'),
  skills: z.array(z.string()).describe('Labels of tasks that the worker can do.'),
  capacity: z.int().describe('The maximum number of open tasks of the worker.'),
  /** How many tasks it has that have not ended. */
  load: z.int().describe('The number of open tasks of the worker.'),
  status: z.enum(['active', 'paused']),
  /** The highest tier of which an AI worker gets tasks. */
  max_tier: z.enum(TIERS).describe('The highest tier that the worker may run.'),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  created_by: z
    .object({
      type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
      id: z.string().describe('Id of the caller.'),
    })
    .describe('The caller that created it.'),
})
export type Worker = z.output<typeof Worker>

export const WORKERS_MAX = 500

const partition = (space: Space) => spaceKey(space, 'OPS')

export const workers = entity({
  name: 'WORKER',
  unbound: 'bounded',
  schema: Worker,
  key: (of: Space & { id: string }) => ({ pk: partition(of), sk: key('WRK', of.id) }),
})

/** Leads from a user or key to the worker; one of each at most. */
export const workersOf = entity({
  name: 'WORKEROF',
  unbound: 'bounded',
  schema: z.object({ ...spaceMembers, of: z.string(), worker_id: z.string() }),
  key: (of: Space & { of: string }) => ({ pk: partition(of), sk: key('WRKOF', of.of) }),
})

export const allWorkers = (table: Table, space: Space): Promise<Stored<Worker>[]> =>
  table.query(workers, { pk: partition(space), prefix: 'WRK#', limit: WORKERS_MAX })

/** The worker that a user or key is registered as. */
export async function workerOf(table: Table, space: Space, id: string): Promise<Stored<Worker> | undefined> {
  const found = await table.get(workersOf, { ...space, of: id })
  return found && table.get(workers, { ...space, id: found.worker_id })
}

/**
 * Checks that let a commit fail if the account or key of the worker ends; undefined if it is not active now. A registration outlives the
 * account or key that it is for.
 */
export async function stillThere(ctx: Context, { user_id, agent }: Worker): Promise<Write[] | undefined> {
  if (user_id !== undefined) return personStays(ctx, user_id)
  return agent && keyStays(ctx, agent)
}

/** The same for any person, registered as a worker or not. */
export async function personStays({ table, space }: Context, id: string): Promise<Write[] | undefined> {
  const self = { tenant_id: space.tenant_id, id }
  const user = await table.get(users, self)
  const active = { expression: '#status = :active', names: { '#status': 'status' }, values: { ':active': 'active' } }
  return user?.status === 'active' ? [users.check(self, active, new ChangedMeanwhile())] : undefined
}

async function keyStays(ctx: Context, { agent_id, api_key_id }: NonNullable<Worker['agent']>) {
  const { table, space } = ctx
  const ref = await table.get(keyRefs, { tenant_id: space.tenant_id, id: api_key_id })
  const found = ref && (await table.get(apiKeys, ref))
  if (!found || found.kind !== space.mode || found.agent_id !== agent_id) return undefined
  if (statusOf(found, ctx.now()) !== 'active' || !grantNow(found, await makerOf(table, found))) return undefined
  return [apiKeys.check(found, { expression: 'attribute_not_exists(revoked_at)' }, new ChangedMeanwhile())]
}
